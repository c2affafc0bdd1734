using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class RetryTests
{
    [Fact]
    public void A_call_that_may_run_twice_is_retried_before_all_others_and_then_fails()
    {
        var pool = new PoolSetup(max: 1, with: static settings => settings with { QuarantineKills = 0 });
        var call = pool.Call(with: static call => call.IsIdempotent = true);
        pool.Call();
        for (var i = 0; i < 2; i++)
        {
            pool.Ready(0);
            Assert.Same(call, pool.Last.Single(static action => action.Kind == PoolActionKind.Dispatch).Call);
            pool.Started(0);
            pool.ChannelEnded(0);
            Assert.Equal(CallState.Queued, call.State);
            pool.Reaped(0);
            Assert.DoesNotContain(PoolActionKind.FailLost, pool.LastKinds);
        }

        pool.Ready(0);
        pool.Started(0);
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Contains(pool.Last, action => action.Kind == PoolActionKind.FailLost && action.Call == call);
    }

    [Fact]
    public void A_call_is_not_retried_if_an_item_was_read_or_it_may_not_run_twice_or_its_result_is_not_needed()
    {
        Assert.Equal(PoolActionKind.FailLost, After(static (_, _) => { }, isIdempotent: false));
        Assert.Equal(PoolActionKind.FailLost, After(static (pool, call) => Assert.Same(call, WorkerDecisions.Item(pool[0], 1)), isIdempotent: true));
        Assert.Null(After(static (pool, call) => pool.Leave(call), isIdempotent: true));
        Assert.Equal(PoolActionKind.FailLost, After(static (pool, _) => pool.Abort(), isIdempotent: true));
        Assert.Equal(PoolActionKind.Spawn, After(static (_, _) => { }, isIdempotent: true));

        static PoolActionKind? After(Action<PoolSetup, CallEntry> what, bool isIdempotent)
        {
            var pool = new PoolSetup(max: 1);
            var call = pool.Call(with: call => call.IsIdempotent = isIdempotent);
            pool.Ready(0);
            pool.Started(0);
            what(pool, call);
            pool.ChannelEnded(0);
            pool.Reaped(0);
            return pool.Last.Select(static action => (PoolActionKind?)action.Kind).FirstOrDefault();
        }
    }

    [Fact]
    public void A_call_that_was_running_at_a_protocol_violation_is_retried_too()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.Call(with: static call => call.IsIdempotent = true);
        pool.Ready(0);
        pool.Started(0);
        pool.Violated(0);
        Assert.Equal(CallState.Queued, call.State);
    }

    [Fact]
    public void Calls_equal_to_one_that_killed_two_workers_are_rejected_for_a_time()
    {
        var pool = new PoolSetup(max: 1);
        Kill(pool, print: 7);
        Kill(pool, print: 8);
        Kill(pool, print: 7);
        var rejected = pool.Call(with: Print(7));
        Assert.Equal(new PoolAction(PoolActionKind.RejectQuarantined, null, rejected), Assert.Single(pool.Last));
        Assert.Equal(CallState.Queued, pool.Call(with: Print(8)).State);
        pool.Now = 60;
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void An_expired_worker_failure_does_not_count()
    {
        var pool = new PoolSetup(max: 1);
        Kill(pool, print: 7);
        pool.Now = 60;
        Kill(pool, print: 7);
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
        pool.Now = 121;
        Finish(pool);
        Kill(pool, print: 7);
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void No_call_is_rejected_where_worker_failures_do_not_count()
    {
        var pool = new PoolSetup(max: 1, with: static settings => settings with { QuarantineTime = TimeSpan.Zero });
        Kill(pool, print: 7);
        Kill(pool, print: 7);
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void A_call_whose_worker_was_killed_from_outside_is_rejected_after_the_fifth_time()
    {
        var pool = new PoolSetup(max: 1, budget: 100);
        for (var i = 0; i < 4; i++)
        {
            Kill(pool, print: 7, fromOutside: true);
        }

        Kill(pool, print: 7, fromOutside: true);
        Assert.Equal(CallState.Ended, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void A_call_whose_worker_was_killed_from_outside_four_times_is_cleared_when_an_equal_call_is_answered()
    {
        var pool = new PoolSetup(max: 1, budget: 100);
        for (var i = 0; i < 4; i++)
        {
            Kill(pool, print: 7, fromOutside: true);
        }

        pool.Call(with: Print(7));
        Finish(pool);
        Kill(pool, print: 7, fromOutside: true);
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void Fingerprints_are_not_computed_without_a_worker_failure_or_after_one_kill_from_outside()
    {
        var pool = new PoolSetup(max: 1);
        Ask(false);
        Kill(pool, print: 7, fromOutside: true);
        Ask(false);
        Kill(pool, print: 8);
        Ask(true);
        pool.Now = 60;
        Ask(false);

        void Ask(bool isAsked)
        {
            var call = (PrintedCall)pool.Call(with: Print(9));
            Finish(pool);
            Assert.Equal(isAsked, call.Asked > 0);
        }
    }

    [Fact]
    public void A_call_whose_workers_ran_out_of_memory_is_rejected()
    {
        var pool = new PoolSetup(max: 1);
        for (var i = 0; i < 2; i++)
        {
            pool.Do((now, actions) => PoolDecisions.Enter(pool.Table, new PrintedCall(7) { ExhaustsMemory = true }, now, actions));
            Finish(pool);
            pool.ChannelEnded(0);
            pool.Reaped(0);
        }

        Assert.Equal(CallState.Ended, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void A_call_that_a_worker_survives_is_not_quarantined()
    {
        var pool = new PoolSetup(max: 1);
        Kill(pool, print: 7);
        pool.Call(with: Print(7));
        pool.Ready(0);
        pool.Started(0);
        pool.Answered(0);
        pool.Call(with: Print(7));
        pool.Started(0);
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void A_queued_call_is_rejected_too_when_equal_calls_are_quarantined()
    {
        var pool = new PoolSetup(max: 1);
        Kill(pool, print: 7);
        pool.Call(with: Print(7));
        pool.Ready(0);
        pool.Started(0);
        var next = pool.Call(with: Print(7));
        pool.ChannelEnded(0);
        Assert.Contains(new PoolAction(PoolActionKind.RejectQuarantined, null, next), pool.Last);
    }

    [Fact]
    public void A_worker_that_the_host_killed_was_not_killed_by_its_call()
    {
        var pool = new PoolSetup(max: 1, grace: 0);
        for (var i = 0; i < 3; i++)
        {
            var call = pool.Call(with: Print(7));
            pool.Ready(0);
            pool.Started(0);
            pool.Leave(call);
            pool.Tick();
            Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
            pool.ChannelEnded(0);
            pool.Reaped(0);
        }

        Assert.Equal(CallState.Queued, pool.Call(with: Print(7)).State);
    }

    [Fact]
    public void The_number_of_remembered_calls_is_bounded_and_the_oldest_is_removed_first()
    {
        var quarantine = new Quarantine(1, TimeSpan.FromHours(1), forgiven: 5);
        for (var i = 1; i <= Quarantine.Most + 1; i++)
        {
            quarantine.Blame(new PrintedCall((ulong)i), isExplained: true, TimeSpan.FromSeconds(i));
        }

        Assert.Equal(Quarantine.Most, quarantine.Count);
        Assert.False(quarantine.Holds(new PrintedCall(1), TimeSpan.FromSeconds(100)));
        Assert.True(quarantine.Holds(new PrintedCall(2), TimeSpan.FromSeconds(100)));
    }

    private static Action<CallEntry> Print(ulong print) => call => ((PrintedCall)call).Print = print;

    // The call that waits, or runs, is answered.
    private static void Finish(PoolSetup pool)
    {
        if (pool[0].State == WorkerState.Starting)
        {
            pool.Ready(0);
        }

        pool.Started(0);
        pool.Answered(0);
    }

    private static void Kill(PoolSetup pool, ulong print, bool fromOutside = false)
    {
        pool.Call(with: Print(print));
        if (pool[0].State == WorkerState.Starting)
        {
            pool.Ready(0);
        }

        pool.Started(0);
        pool.ChannelEnded(0, fromOutside: fromOutside);
        pool.Reaped(0);
    }
}
