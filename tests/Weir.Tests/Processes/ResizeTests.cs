using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>The size of a pool changes while it runs.</summary>
public sealed class ResizeTests
{
    [Fact]
    public void A_higher_maximum_starts_workers_for_the_calls_that_wait()
    {
        var pool = new PoolSetup(max: 1, queue: 5);
        pool.FillWorkers();
        var waiting = new[] { pool.Call(), pool.Call() };
        Resize(pool, static settings => settings with { MaxWorkers = 3 });
        Assert.Equal([PoolActionKind.Spawn, PoolActionKind.Spawn], pool.LastKinds);
        pool.Ready(1);
        pool.Ready(2);
        Assert.Equal([pool[1], pool[2]], waiting.Select(static call => call.Worker));
    }

    [Fact]
    public void A_higher_minimum_starts_workers_and_a_lower_one_lets_them_exit_after_their_time()
    {
        var pool = new PoolSetup(min: 0, max: 3);
        Resize(pool, static settings => settings with { MinWorkers = 2 });
        Assert.Equal([PoolActionKind.Spawn, PoolActionKind.Spawn], pool.LastKinds);
        pool.Ready(0);
        pool.Ready(1);
        pool.Now = 100;
        pool.Tick();
        Assert.Empty(pool.Last);
        Resize(pool, static settings => settings with { MinWorkers = 1 });
        pool.Tick();
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
    }

    [Fact]
    public void Above_a_lower_maximum_idle_workers_exit_before_busy_ones_which_finish_their_calls()
    {
        var pool = new PoolSetup(min: 3, max: 3);
        for (var i = 0; i < 3; i++)
        {
            pool.Ready(i);
        }

        var calls = new[] { pool.Call(), pool.Call() };
        var busy = calls.Select(static call => call.Worker!).ToArray();
        Array.ForEach(busy, worker => pool.Started(worker.Index));
        Resize(pool, static settings => settings with { MinWorkers = 1, MaxWorkers = 1 });
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
        Assert.DoesNotContain(pool.Last[0].Worker, busy);
        var finishing = Assert.Single(busy, static worker => worker.State == WorkerState.Finishing);
        pool.Answered(finishing.Index);
        Assert.Equal([new PoolAction(PoolActionKind.Retire, finishing, null)], pool.Last);
        Assert.Equal(WorkerState.Busy, busy.Single(worker => worker != finishing).State);
    }

    [Fact]
    public void A_worker_that_starts_is_not_needed_above_a_lower_maximum()
    {
        var pool = new PoolSetup(min: 2, max: 2);
        pool.Ready(0);
        Resize(pool, static settings => settings with { MinWorkers = 1, MaxWorkers = 1 });
        Assert.Equal([new PoolAction(PoolActionKind.Kill, pool[1], null)], pool.Last);
        Assert.Equal(KillReason.NotNeeded, pool[1].Killed);
    }

    [Fact]
    public void A_longer_queue_admits_the_callers_that_wait_and_a_shorter_one_rejects_only_new_calls()
    {
        var pool = new PoolSetup(max: 1, queue: 0);
        pool.FillWorkers();
        var (first, second) = (pool.Call(waits: true, static call => call.IsWritten = true), pool.Call(waits: true, static call => call.IsWritten = true));
        Resize(pool, static settings => settings with { QueueLimit = 2 });
        Assert.Equal([CallState.Queued, CallState.Queued], [first.State, second.State]);
        Resize(pool, static settings => settings with { QueueLimit = 0 });
        Assert.Equal(CallState.Ended, pool.Call().State);
        Assert.Equal([PoolActionKind.RejectFull], pool.LastKinds);
        pool.Answered(0);
        Assert.Equal(CallState.Sent, first.State);
    }

    [Fact]
    public void A_shorter_idle_timeout_counts_for_workers_that_are_idle_already()
    {
        var pool = new PoolSetup(max: 1);
        pool.FillWorkers();
        pool.Answered(0);
        Assert.Equal(TimeSpan.FromSeconds(10), pool.Foreseen);
        Resize(pool, static settings => settings with { IdleTimeout = TimeSpan.FromSeconds(3) });
        Assert.Equal(TimeSpan.FromSeconds(3), pool.Foreseen);
        Resize(pool, static settings => settings with { IdleTimeout = null });
        Assert.Null(pool.Foreseen);
    }

    private static void Resize(PoolSetup pool, Func<PoolSettings, PoolSettings> change) =>
        pool.Do((now, actions) => PoolDecisions.Resize(pool.Table, change(pool.Table.Settings), now, actions));
}
