using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

[Collection(nameof(Alone))]
public class PoolDrainTests
{
    [Fact]
    public async Task A_drained_pool_has_answered_every_call_and_left_nothing()
    {
        var pool = ScriptedPool.Start(options => options.QueueLimit = 100);
        var calls = Enumerable.Range(0, 50).Select(i => pool.DoAsync($"answer {i}")).ToArray();
        Assert.True(await pool.SettlesAsync(now => now.Workers.Any(worker => worker.ProcessId > 0)));
        var pids = pool.Pids.ToArray();
        await pool.Pool.DrainAsync(TestContext.Current.CancellationToken).WithinAsync(20);
        await Task.WhenAll(calls);
        Assert.Empty(pool.Pool.Snapshot().Workers);
        Assert.DoesNotContain(pids, pid => ProcFiles.Stat(pid) is not null);
        var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.DoAsync("late"));
        Assert.Equal(WeirCodes.Draining, failure.Code);
    }

    [Fact]
    public async Task A_drain_that_may_not_wait_kills_what_runs_and_still_completes_every_call()
    {
        using var started = new SignalFile();
        var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        var running = pool.DoAsync($"forever {started.Path}");
        var queued = pool.DoAsync("queued");
        await started.IsSetAsync();
        using var impatient = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        await pool.Pool.DrainAsync(impatient.Token).WithinAsync(30);
        var lost = await Assert.ThrowsAsync<WorkerLostException>(() => running);
        Assert.Contains("without waiting", lost.Cause, StringComparison.Ordinal);
        await Assert.ThrowsAsync<CallRejectedException>(() => queued);
    }

    [Fact]
    public async Task Fresh_pools_under_a_burst_keep_their_maximum_and_never_return_early()
    {
        for (var round = 0; round < 12; round++)
        {
            var pool = ScriptedPool.Start(options =>
            {
                options.MinWorkers = round % 3;
                options.QueueLimit = 100;
            });
            var most = 0;
            var calls = Enumerable.Range(0, 40).Select(i => pool.DoAsync($"answer {i}")).ToArray();
            var watching = Task.Run(
                async () =>
                {
                    while (!Array.TrueForAll(calls, call => call.IsCompleted))
                    {
                        most = Math.Max(most, ProcFiles.Children("Weir.ScriptedWorker.dll"));

                        // Between two looks the pool has the processors to itself.
                        await Task.Delay(1, TestContext.Current.CancellationToken);
                    }
                },
                TestContext.Current.CancellationToken);
            await pool.Pool.DrainAsync(TestContext.Current.CancellationToken).WithinAsync(20);
            Assert.Equal(0, ProcFiles.Children("Weir.ScriptedWorker.dll"));
            await Task.WhenAll(calls);
            await watching;
            Assert.InRange(most, 0, 2);
        }
    }

    [Fact]
    public async Task Pools_leave_no_descriptor_no_thread_and_no_zombie()
    {
        await RoundAsync(3);
        var descriptors = ProcFiles.OwnDescriptors();
        await RoundAsync(10);
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.OwnDescriptors() <= descriptors + 2 && ProcFiles.Zombies().Count == 0, TimeSpan.FromSeconds(60)));
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.OwnThreads("Weir test ") == 0, TimeSpan.FromSeconds(60)));

        static async Task RoundAsync(int count)
        {
            for (var i = 0; i < count; i++)
            {
                await using var pool = ScriptedPool.Start();
                await Task.WhenAll(pool.DoAsync("one"), pool.DoAsync("two"));
                await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("signal 9"));
            }
        }
    }

    [Fact]
    public async Task A_flood_of_a_hundred_megabytes_harms_neither_its_call_nor_the_host()
    {
        await using var pool = ScriptedPool.Start();
        await pool.DoAsync("warm");
        var before = Environment.WorkingSet;
        Assert.Equal("flooded", await pool.DoAsync("flood 100"));
        Assert.InRange(Environment.WorkingSet - before, long.MinValue, 100L << 20);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task The_end_of_an_application_waits_a_limited_time_for_a_call_that_does_not_end()
    {
        var application = new Application(options => options.DrainTimeout = TimeSpan.FromMilliseconds(300));
        var loop = application.Get<IMisbehaviourClient>().Loop(TestContext.Current.CancellationToken).AsTask();
        Assert.True(await ProcFiles.EventuallyAsync(
            () => application.Runtime.Pools.Any(pool => pool.Workers.Any(worker => worker.Operation == "Misbehaviour/Loop")), TimeSpan.FromSeconds(20)));
        await application.DisposeAsync().AsTask().WithinAsync(60);
        var lost = await Assert.ThrowsAsync<WorkerLostException>(() => loop);
        Assert.Contains("without waiting", lost.Cause, StringComparison.Ordinal);
        Assert.Equal(0, ProcFiles.Children("Weir.Worker.dll"));
    }

    [Fact]
    public void Options_for_a_pool_that_no_service_names_are_an_error_at_the_start()
    {
        var failure = Assert.Throws<InvalidOperationException>(() => new Application(options => options.Pool("mispelled").MaxWorkers = 5));
        Assert.Contains("'mispelled'", failure.Message, StringComparison.Ordinal);
        Assert.Contains("misbehaviour", failure.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.InvalidOptions, failure.Message, StringComparison.Ordinal);
    }
}
