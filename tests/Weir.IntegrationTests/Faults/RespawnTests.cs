using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>However many workers a pool has lost, its host holds what it held after the first few.</summary>
[Collection(nameof(Alone))]
public sealed class RespawnTests
{
    private const int WarmUp = 20;
    private const double Soon = 60;

    [Fact]
    public Task A_hundred_respawns_leave_no_descriptor_no_thread_and_no_zombie() => RespawnAsync(100);

    [Fact, Trait("Kind", "Long")]
    public Task Two_thousand_respawns_leave_no_descriptor_no_thread_and_no_zombie() => RespawnAsync(2_000);

    private static async Task RespawnAsync(int respawns)
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        await using var pool = FreshPool.Start("compliance", static options => options.MinWorkers = options.MaxWorkers = 2);
        var worker = pool.GetProxy<IComplianceInlineClient>();
        var id = 0;

        // 1. Until everything that is kept for the next time is there.
        await KillAsync(WarmUp);
        var before = await SettleAsync();

        // 2. Half of them idle, half in the middle of a call.
        await KillAsync(respawns);
        var after = await SettleAsync();

        // 3. The thread pool of the runtime comes and goes as it likes, within its own few; a pool of an earlier test
        // may still close what it held. A leak would be one for each respawn.
        Assert.InRange(after.Descriptors, 1, before.Descriptors);
        Assert.Equal((2, 2), (before.Readers, after.Readers));
        Assert.InRange(after.Threads, 1, before.Threads + 4);
        Assert.InRange(after.Heap, 0, before.Heap + (4 << 20));
        Assert.Empty(ProcFiles.Zombies());

        async Task KillAsync(int count)
        {
            for (var i = 0; i < count; i++)
            {
                Assert.Equal(++id, await worker.Survive(id, -1, cancellationToken).AsTask().WithinAsync(Soon));
                if (i % 2 == 0)
                {
                    var victim = pool.Snapshot().Workers.First(static one => one.CallsDone > 0).ProcessId;
                    Assert.Equal(0, Signals.Send(victim, Signals.Kill));
                    Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot().Workers.All(one => one.ProcessId != victim), TimeSpan.FromSeconds(Soon)));
                }
                else
                {
                    await Assert.ThrowsAsync<WorkerLostException>(() => worker.Survive(++id, id, cancellationToken).AsTask().WithinAsync(Soon));
                }
            }
        }

        async Task<(int Descriptors, int Readers, int Threads, long Heap)> SettleAsync()
        {
            Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot().Workers.Count(static one => one.State == "idle") == 2, TimeSpan.FromSeconds(Soon)));

            // A moment later than its last sign of life a worker is closed; nothing of that may wait for the collector.
            await Task.Delay(TimeSpan.FromMilliseconds(300), TimeProvider.System, cancellationToken);
            return (ProcFiles.WorkerDescriptors().Count, ProcFiles.OwnThreads("Weir compliance"), Directory.GetDirectories("/proc/self/task").Length, GC.GetTotalMemory(forceFullCollection: true));
        }
    }
}
