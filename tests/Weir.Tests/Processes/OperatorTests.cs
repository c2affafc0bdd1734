using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>What an operator asks of a pool.</summary>
public class OperatorTests
{
    [Fact]
    public void A_paused_pool_gives_calls_to_no_worker_until_it_is_resumed()
    {
        var pool = Ready(1, 2);
        var running = pool.Call();
        pool.Started(0);
        Pause(pool, isPaused: true);
        var waiting = pool.Call();
        Assert.Equal(CallState.Queued, waiting.State);
        Assert.Empty(pool.LastKinds);
        pool.Answered(0, running);
        Assert.Equal((CallState.Queued, WorkerState.Idle), (waiting.State, pool[0].State));
        Pause(pool, isPaused: false);
        Assert.Same(pool[0], waiting.Worker);
    }

    [Fact]
    public void While_a_pool_is_paused_its_queue_has_its_limit_and_its_calls_can_be_cancelled()
    {
        var pool = Ready(1, 1, queue: 2);
        Pause(pool, isPaused: true);
        CallEntry[] calls = [pool.Call(), pool.Call(), pool.Call()];
        Assert.All(calls, static call => Assert.Equal(CallState.Queued, call.State));
        Assert.Equal(CallState.Ended, pool.Call().State);
        Assert.Equal([PoolActionKind.RejectFull], pool.LastKinds);
        Assert.True(pool.Leave(calls[0]));
        Pause(pool, isPaused: false);
        Assert.Same(pool[0], calls[1].Worker);
    }

    [Fact]
    public void A_paused_pool_keeps_its_minimum_and_starts_no_worker_for_calls_that_wait()
    {
        var pool = Ready(1, 4);
        Pause(pool, isPaused: true);
        pool.Call();
        pool.Call();
        Assert.Equal(1, pool.Table.Occupied);
        pool.ChannelEnded(0);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
    }

    [Fact]
    public void A_paused_pool_that_drains_completes_the_calls_that_wait()
    {
        var pool = Ready(1, 1);
        Pause(pool, isPaused: true);
        var waiting = pool.Call();
        pool.Drain();
        Assert.Same(pool[0], waiting.Worker);
        Pause(pool, isPaused: true);
        Assert.False(pool.Table.IsPaused);
    }

    [Fact]
    public void A_worker_that_an_operator_replaces_serves_until_the_other_one_is_ready()
    {
        var pool = Ready(1, 2);
        var running = pool.Call();
        pool.Started(0);
        Assert.True(Replace(pool, 0));
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        Assert.False(Replace(pool, 0));
        pool.Ready(1);
        Assert.Equal((WorkerState.Finishing, RetirementReason.Asked), (pool[0].State, pool[0].Retired));
        pool.Answered(0, running);
        Assert.Equal([new PoolAction(PoolActionKind.Retire, pool[0], null)], pool.Last);
    }

    [Fact]
    public void A_worker_that_an_operator_kills_loses_the_call_that_it_runs_and_no_other()
    {
        var pool = Ready(1, 1);
        var (running, waiting) = (pool.Call(), pool.Call());
        pool.Started(0);
        Assert.True(Kill(pool, 0));
        Assert.Equal([new PoolAction(PoolActionKind.Kill, pool[0], null)], pool.Last);
        Assert.False(Kill(pool, 0));
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Equal((CallState.Ended, CallState.Queued), (running.State, waiting.State));
        Assert.Contains(PoolActionKind.Spawn, pool.LastKinds);
        pool.Ready(0);
        Assert.Same(pool[0], waiting.Worker);
    }

    private static PoolSetup Ready(int min, int max, int queue = 3)
    {
        var pool = new PoolSetup(min: min, max: max, queue: queue);
        for (var i = 0; i < min; i++)
        {
            pool.Ready(i);
        }

        return pool;
    }

    private static void Pause(PoolSetup pool, bool isPaused) => pool.Do((now, actions) => PoolDecisions.Pause(pool.Table, isPaused, now, actions));

    private static bool Replace(PoolSetup pool, int worker)
    {
        var found = false;
        pool.Do((now, actions) => found = PoolDecisions.Replace(pool.Table, pool[worker], now, actions));
        return found;
    }

    private static bool Kill(PoolSetup pool, int worker)
    {
        var found = false;
        pool.Do((now, actions) => found = PoolDecisions.Kill(pool.Table, pool[worker], now, actions));
        return found;
    }
}
