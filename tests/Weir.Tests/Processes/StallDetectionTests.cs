using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>Calls that make others wait, and workers that start nothing.</summary>
public class StallDetectionTests
{
    [Fact]
    public void Calls_behind_a_long_call_are_withdrawn_after_a_millisecond_and_served_first_by_another_worker()
    {
        var pool = Pool(workers: 1, max: 2);
        var calls = Calls(pool, 3);
        Assert.InRange(PoolDecisions.NextTick(pool.Table)!.Value, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        pool.Started(0, 1);
        pool.Now = 0.0005;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now = 0.001;
        pool.Tick();
        Assert.Equal([new PoolAction(PoolActionKind.Withdraw, pool[0], null, 2)], pool.Last);
        pool.Withdrawn(0, 2, 3);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        var later = pool.Call(with: AheadTests.IsShort);
        pool.Ready(1);
        Assert.Equal([calls[1], calls[2], later], pool.Last.Select(static action => action.Call));
        Assert.Equal(1UL, calls[1].CallId);

        // The answer of the long call ends the stall.
        pool.Answered(0, calls[0]);
        Assert.False(pool[0].IsStalled);
        Assert.Equal(4UL, pool.Call(with: AheadTests.IsShort).CallId);
    }

    [Fact]
    public void A_worker_that_was_faster_than_the_withdrawal_continues()
    {
        var pool = Pool(workers: 1, max: 1);
        Calls(pool, 3);
        pool.Started(0, 1);
        pool.Now = 0.001;
        pool.Tick();
        pool.Started(0, 3);
        pool.Withdrawn(0, 1, 0);
        Assert.False(pool[0].IsStalled);
        Assert.Equal(3, pool[0].Sent.Count);
    }

    [Fact]
    public void A_PING_that_a_worker_leaves_unanswered_counts_from_the_last_moment_at_which_it_ran_something()
    {
        // 1. It is sent a PING for a call that it does not start, and runs that call after all.
        var pool = Pool(workers: 1, max: 1);
        Calls(pool, 1);
        pool.Now = 1;
        pool.Tick();
        Assert.Contains(PoolActionKind.Ping, pool.LastKinds);
        pool.Withdrawn(0, 1, 0);
        pool.Started(0, 1);

        // 2. It answers, and does not start the next call.
        pool.Now = 9;
        pool.Call();
        pool.Answered(0);
        Assert.Equal(1, pool[0].Sent.Count);
        pool.Now = 18.9;
        Assert.InRange(pool.Foreseen!.Value.TotalSeconds, 18.9, 19);
        Assert.DoesNotContain(PoolActionKind.Kill, pool.LastKinds);
        pool.Now = 19;
        pool.Tick();
        Assert.Contains(PoolActionKind.Kill, pool.LastKinds);
    }

    [Fact]
    public void Nothing_is_sent_to_a_worker_that_has_not_answered_for_a_millisecond()
    {
        var pool = Pool(workers: 1, max: 1);
        Calls(pool, 1);
        pool.Now = 0.0011;
        Assert.Equal(CallState.Queued, pool.Call(with: AheadTests.IsShort).State);
    }

    [Fact]
    public void Results_finished_before_a_long_call_are_requested_and_do_not_end_its_stall()
    {
        var pool = Pool(workers: 1, max: 1);
        var calls = Calls(pool, 3);
        pool.Started(0, 2);
        pool.Now = 0.001;
        pool.Tick();
        Assert.Equal([PoolActionKind.Withdraw, PoolActionKind.Ping], pool.LastKinds);
        pool.Withdrawn(0, 3, 3);
        pool.Answered(0, calls[0]);
        Assert.True(pool[0].IsStalled);
        Assert.Equal(CallState.Queued, calls[2].State);
        pool.Answered(0, calls[1]);
        Assert.Equal(CallState.Sent, calls[2].State);
    }

    [Fact]
    public void A_call_that_was_cancelled_is_released_when_it_is_withdrawn()
    {
        var pool = Pool(workers: 1, max: 1);
        var calls = Calls(pool, 2);
        pool.Started(0, 1);
        Assert.True(pool.Leave(calls[1]));
        pool.Now = 0.001;
        pool.Tick();
        pool.Withdrawn(0, 2, 2);
        Assert.Equal(CallState.Ended, calls[1].State);
        Assert.Equal(0, pool.Table.Queue.Count);
    }

    [Fact]
    public void A_worker_that_does_not_start_a_call_loses_it_and_gets_none_before_it_has_answered_a_PING()
    {
        var pool = Pool(workers: 2, max: 2);
        var call = pool.Call(with: AheadTests.IsShort);
        var worker = call.Worker!;
        pool.Now = 0.1;
        pool.Tick();
        Assert.Equal([PoolActionKind.Ping, PoolActionKind.Withdraw], pool.LastKinds);
        pool.Withdrawn(worker.Index, 1, 1);
        Assert.NotSame(worker, call.Worker);
        Assert.Equal(WorkerState.Silent, worker.State);
        Assert.Equal(CallState.Queued, pool.Call().State);
        pool.Ponged(worker.Index);
        Assert.Equal(WorkerState.Busy, worker.State);
    }

    [Fact]
    public void A_worker_that_never_answers_a_PING_is_killed_and_so_is_one_that_only_answers_and_starts_nothing()
    {
        var pool = Pool(workers: 1, max: 1);
        var call = pool.Call();
        pool.Now = 0.1;
        pool.Tick();
        pool.Withdrawn(0, 1, 1);
        Assert.Equal(TimeSpan.FromSeconds(10.1), pool.Foreseen);
        pool.Now = 10.1;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
        Assert.Equal(KillReason.Stalled, pool[0].Killed);
        Assert.Equal(CallState.Queued, call.State);

        pool = Pool(workers: 1, max: 1);
        call = pool.Call();
        for (var i = 1; i <= StallDetection.MostFailedStarts; i++)
        {
            // The timeout doubles each time.
            pool.Now += 0.1 * (1 << (i - 1));
            pool.Tick();
            Assert.Contains(PoolActionKind.Withdraw, pool.LastKinds);
            pool.Withdrawn(0, call.CallId, call.CallId);
            if (i < StallDetection.MostFailedStarts)
            {
                pool.Ponged(0);
            }
        }

        Assert.Equal(KillReason.Stalled, pool[0].Killed);
    }

    [Fact]
    public void A_worker_without_shared_memory_that_starts_nothing_is_killed_and_its_call_is_requeued()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.Call();
        pool.Ready(0);
        pool.Now = 0.1;
        pool.Tick();
        Assert.Equal([PoolActionKind.Ping], pool.LastKinds);
        pool.Now = 10.1;
        pool.Tick();
        Assert.Equal([PoolActionKind.Kill], pool.LastKinds);
        pool.ChannelEnded(0);
        Assert.Equal(CallState.Queued, call.State);
    }

    [Fact]
    public void Of_several_concurrent_calls_the_unstarted_one_is_requeued_and_the_running_ones_stay()
    {
        var pool = new PoolSetup(min: 1, max: 1, queue: 10, with: static settings => settings with { Concurrency = 2 }) { HaveSharedMemory = true };
        pool.Ready(0);
        pool.Call();
        pool.Started(0, 1);
        pool.Now = 5;
        var stuck = pool.Call();
        Assert.Equal(TimeSpan.FromSeconds(5.1), pool.Foreseen);
        pool.Now = 5.1;
        pool.Tick();
        Assert.Contains(new PoolAction(PoolActionKind.Withdraw, pool[0], null, 2), pool.Last);
        pool.Withdrawn(0, 2, 2);
        Assert.Equal((CallState.Queued, 1), (stuck.State, pool[0].Sent.Count));
        pool.Answered(0);
        Assert.Equal(CallState.Sent, stuck.State);
    }

    [Fact]
    public void A_waiting_call_is_sent_as_soon_as_the_shared_memory_shows_that_the_stall_is_over()
    {
        var pool = new PoolSetup(min: 1, max: 1, queue: 10, with: static settings => settings with { Concurrency = 2 }) { HaveSharedMemory = true };
        pool.Ready(0);
        pool.Call();
        pool.Started(0, 1);
        var stuck = pool.Call();
        pool.Now = 0.1;
        pool.Tick();
        pool.Withdrawn(0, 2, 2);
        Assert.Equal(CallState.Queued, stuck.State);

        // The worker passes the withdrawn call.
        pool.Started(0, 2);
        Assert.Equal(CallState.Sent, stuck.State);
    }

    [Fact]
    public void A_call_that_only_runs_long_is_not_a_stall()
    {
        var pool = new PoolSetup(min: 1, max: 1) { HaveSharedMemory = true };
        pool.Ready(0);
        pool.Call();
        pool.Started(0, 1);
        Assert.Equal(MissedWakes.Interval, pool.Foreseen);
        pool.Now = 100_000;
        pool.Tick();
        Assert.Empty(pool.Last);
    }

    private static PoolSetup Pool(int workers, int max)
    {
        var pool = new PoolSetup(min: workers, max: max, queue: 20) { HaveSharedMemory = true };
        for (var i = 0; i < workers; i++)
        {
            pool.Ready(i);
        }

        return pool;
    }

    private static CallEntry[] Calls(PoolSetup pool, int count) => [.. Enumerable.Range(0, count).Select(_ => pool.Call(with: AheadTests.IsShort))];
}
