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
    public Task Fifty_respawns_leave_no_descriptor_no_thread_and_no_zombie() => RespawnAsync(50);

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
        await EventuallyAsync(IsWhole, () => $"{pool.Snapshot()}");
        var before = Held();
        var heap = GC.GetTotalMemory(forceFullCollection: true);

        // 2. Half of them idle, half in the middle of a call.
        await KillAsync(respawns);
        await EventuallyAsync(IsWhole, () => $"{pool.Snapshot()}");

        // 3. What a worker was held by is closed soon after its last sign of life, and not by the collector. The thread pool of the
        // runtime starts and ends threads, within its own few. A leak would be one for each respawn, and would stay.
        await EventuallyAsync(() => Held() is var after && after.Descriptors <= before.Descriptors && after.Threads <= before.Threads + 4, () => $"{before}, then {Held()}");
        await EventuallyAsync(static () => ProcFiles.Zombies().Count == 0);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true), 0, heap + (4 << 20));

        async Task KillAsync(int count)
        {
            for (var i = 0; i < count; i++)
            {
                Assert.Equal(++id, await worker.Survive(id, -1, cancellationToken).AsTask().WithinAsync(Soon));
                if (i % 2 == 0)
                {
                    // The worker that the last call has killed may still be listed, and may be reaped already.
                    var victim = 0;
                    await EventuallyAsync(() => (victim = IdleOne()) > 0);
                    Assert.Equal(0, Signals.Send(victim, Signals.Kill));
                    await EventuallyAsync(() => pool.Snapshot().Workers.All(one => one.ProcessId != victim));
                }
                else
                {
                    await Assert.ThrowsAsync<WorkerLostException>(() => worker.Survive(++id, id, cancellationToken).AsTask().WithinAsync(Soon));
                }
            }
        }

        int IdleOne() => pool.Snapshot().Workers.FirstOrDefault(static one => one is { State: "idle", CallsDone: > 0 })?.ProcessId ?? 0;

        // Two idle workers, each with its one thread here, and none that is being closed.
        bool IsWhole() => pool.Snapshot().Workers is [{ State: "idle" }, { State: "idle" }] && ProcFiles.OwnThreads("Weir compliance") == 2;
    }

    private static (int Descriptors, int Threads) Held() => (ProcFiles.WorkerDescriptors().Count, Directory.GetDirectories("/proc/self/task").Length);

    private static async Task EventuallyAsync(Func<bool> holds, Func<string>? seen = null) =>
        Assert.True(await ProcFiles.EventuallyAsync(holds, TimeSpan.FromSeconds(Soon)), seen?.Invoke());
}
