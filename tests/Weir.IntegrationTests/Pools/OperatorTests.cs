using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>What an operator does with real workers.</summary>
public class OperatorTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Calls_of_a_paused_pool_wait_and_run_when_it_is_resumed()
    {
        await using var pool = ScriptedPool.Start();
        Assert.Equal("first", await pool.DoAsync("first"));
        pool.Pool.Pause();
        var waiting = pool.DoAsync("second");
        Assert.Equal((true, 1), (pool.Pool.Snapshot().IsPaused, pool.Pool.Snapshot().Queued));
        Assert.False(waiting.IsCompleted);
        pool.Pool.Resume();
        Assert.Equal("second", await waiting.WaitAsync(Soon));
        Assert.False(pool.Pool.Snapshot().IsPaused);
    }

    [Fact]
    public async Task A_worker_is_replaced_without_a_failed_call()
    {
        await using var pool = ScriptedPool.Start(static options => (options.MinWorkers, options.MaxWorkers) = (1, 2));
        Assert.Equal("first", await pool.DoAsync("first"));
        var old = pool.Pool.Snapshot().Workers.Single(static worker => worker.CallsDone == 1);
        var running = pool.DoAsync("sleep 100");
        Assert.True(await pool.Pool.ReplaceWorkerAsync(old.ProcessId, old.Serial).WaitAsync(Soon));
        Assert.Equal("slept", await running);
        Assert.DoesNotContain(pool.Pool.Snapshot().Workers, worker => worker.ProcessId == old.ProcessId);
        Assert.Equal("after", await pool.DoAsync("after"));
        Assert.False(await pool.Pool.ReplaceWorkerAsync(old.ProcessId, old.Serial));
    }

    [Fact]
    public async Task A_worker_that_is_killed_loses_its_call_and_its_report_names_who_asked()
    {
        var crashes = new List<CrashReport>();
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.OnCrash = crashes.Add;
        });
        Assert.Equal("first", await pool.DoAsync("first"));
        var worker = pool.Pool.Snapshot().Workers.Single();

        // A call that its worker has not begun would be run by another one.
        using var started = new SignalFile();
        var running = pool.DoAsync($"forever {started.Path}");
        await started.IsSetAsync();
        Assert.False(await pool.Pool.KillWorkerAsync(worker.ProcessId, worker.Serial + 1, "alice"));
        Assert.True(await pool.Pool.KillWorkerAsync(worker.ProcessId, worker.Serial, "alice").WaitAsync(Soon));
        var lost = await Assert.ThrowsAsync<WorkerLostException>(() => running);
        Assert.Equal("killed on request", lost.Cause);
        Assert.Equal("killed on request of alice", Assert.Single(crashes).Cause);
        Assert.Equal("after", await pool.DoAsync("after"));
    }
}
