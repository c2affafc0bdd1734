using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class PoolDecisionsTests
{
    [Fact]
    public void The_minimum_starts_with_the_pool_and_no_more()
    {
        Assert.Equal([PoolActionKind.Spawn, PoolActionKind.Spawn], new PoolSetup(min: 2, max: 5).LastKinds);
        Assert.Empty(new PoolSetup(min: 0).LastKinds);
    }

    [Fact]
    public void A_call_of_an_empty_pool_starts_a_worker_and_goes_to_it_when_it_is_ready()
    {
        var pool = new PoolSetup();
        var call = pool.Call();
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        pool.Ready(0);
        Assert.Equal(new PoolAction(PoolActionKind.Dispatch, pool[0], call, 1), Assert.Single(pool.Last));
        Assert.Equal(1UL, call.CallId);
    }

    [Fact]
    public void Calls_that_wait_each_start_a_worker_up_to_the_maximum()
    {
        var pool = new PoolSetup(max: 3, queue: 10);
        for (var i = 0; i < 8; i++)
        {
            pool.Call();
        }

        Assert.Equal(3, pool.Table.Occupied);
        Assert.Equal(3, pool.Table.Starting);
    }

    [Fact]
    public void No_more_workers_start_at_once_than_allowed()
    {
        var pool = new PoolSetup(max: 8, queue: 20, starting: 2);
        for (var i = 0; i < 8; i++)
        {
            pool.Call();
        }

        Assert.Equal(2, pool.Table.Starting);
        pool.Ready(0);
        Assert.Contains(PoolActionKind.Spawn, pool.LastKinds);
        Assert.Equal(2, pool.Table.Starting);
    }

    [Fact]
    public void The_worker_that_was_idle_last_gets_the_next_call()
    {
        var pool = new PoolSetup(min: 2);
        pool.Ready(0);
        pool.Now = 1;
        pool.Ready(1);
        pool.Call();
        Assert.Same(pool[1], Assert.Single(pool.Last).Worker);
    }

    [Fact]
    public void A_full_pool_rejects_calls_that_do_not_wait_and_keeps_waiting_ones_in_order()
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        pool.FillWorkers();
        var queued = pool.Call();
        var rejected = pool.Call();
        Assert.Equal(PoolActionKind.RejectFull, Assert.Single(pool.Last).Kind);
        Assert.Equal(CallState.Ended, rejected.State);

        var first = pool.Call(waits: true);
        var second = pool.Call(waits: true);
        Assert.Equal(CallState.Waiting, first.State);
        pool.Answered(0);
        Assert.Equal(CallState.Sent, queued.State);
        Assert.Equal(CallState.Admitted, first.State);
        Assert.Equal(CallState.Waiting, second.State);

        // No call overtakes the waiting ones, although there is a place for a moment.
        pool.Leave(first);
        Assert.Equal(CallState.Admitted, second.State);
    }

    [Fact]
    public void A_waiting_call_whose_arguments_are_written_needs_no_second_event()
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        pool.FillWorkers();
        var queued = pool.Call();
        var written = pool.Call(waits: true, static call => call.IsWritten = true);
        var unwritten = pool.Call(waits: true);
        pool.Answered(0);
        Assert.Equal(CallState.Sent, queued.State);
        Assert.Equal(CallState.Queued, written.State);
        pool.Started(0);
        pool.Answered(0);
        Assert.Equal(CallState.Sent, written.State);
        Assert.Equal([PoolActionKind.Dispatch, PoolActionKind.Admit], pool.LastKinds);
        Assert.Equal(CallState.Admitted, unwritten.State);
    }

    [Fact]
    public void A_queue_limit_of_zero_still_serves_one_call_per_worker()
    {
        var pool = new PoolSetup(max: 1, queue: 0);
        var call = pool.Call();
        Assert.Equal(CallState.Queued, call.State);
        Assert.Equal(CallState.Ended, pool.Call().State);
    }

    [Fact]
    public void A_call_that_is_cancelled_in_the_queue_is_removed_at_once()
    {
        var pool = new PoolSetup(max: 1);
        pool.FillWorkers();
        var call = pool.Call();
        Assert.True(pool.Leave(call));
        Assert.False(pool.Leave(call));
        Assert.Equal(1, pool.Table.InPool);
        pool.Answered(0);
        Assert.Equal(WorkerState.Idle, pool[0].State);
    }

    [Fact]
    public void A_call_that_is_cancelled_while_it_runs_completes_and_its_worker_has_the_grace()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.FillWorkers()[0];
        pool.Now = 5;
        Assert.True(pool.Leave(call));
        Assert.Equal(PoolActionKind.Cancel, Assert.Single(pool.Last).Kind);
        Assert.False(pool.Leave(call));
        Assert.Equal(TimeSpan.FromSeconds(7), pool.Foreseen);

        // The answer arrives within the grace: it completes no call, and the worker continues.
        Assert.False(pool.Answered(0));
        Assert.Equal(WorkerState.Idle, pool[0].State);
        pool.Now = 8;
        pool.Tick();
        Assert.DoesNotContain(PoolActionKind.Kill, pool.LastKinds);
    }

    [Fact]
    public void A_worker_that_ignores_the_cancel_is_killed_after_the_grace_and_replaced_when_it_is_reaped()
    {
        var pool = new PoolSetup(min: 1, max: 1);
        pool.Ready(0);
        var call = pool.Call();
        pool.Started(0);
        pool.Leave(call);
        pool.Now = 1.9;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now = 2;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
        pool.ChannelEnded(0);
        Assert.Empty(pool.Last);
        pool.Reaped(0);
        Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void The_grace_of_a_call_counts_from_its_start_in_shared_memory_even_if_that_is_read_late()
    {
        var pool = new PoolSetup(min: 1, max: 1) { HaveSharedMemory = true };
        pool.Ready(0);
        var call = pool.Call();
        pool.Leave(call);

        // No event reports a start: the pool checks for it.
        Assert.Equal(TimeSpan.FromSeconds(0.1), pool.Foreseen);
        pool.Now = 1.5;
        pool.Do((now, actions) => WorkerDecisions.Started(pool.Table, pool[0], 1, TimeSpan.FromSeconds(0.05), now, actions));
        Assert.Equal(TimeSpan.FromSeconds(2.05), pool.Foreseen);
        pool.Now = 2.05;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void A_cancelled_call_whose_answer_is_held_back_does_not_cost_the_worker()
    {
        var pool = new PoolSetup(min: 1, max: 1) { HaveSharedMemory = true };
        pool.Ready(0);
        var gone = pool.Call(with: AheadTests.IsShort);
        pool.Call(with: AheadTests.IsShort);
        pool.Started(0, 1);
        pool.Leave(gone);
        pool.Started(0, 2);
        pool.Now = 10;
        pool.Tick();
        Assert.DoesNotContain(PoolActionKind.Kill, pool.LastKinds);
        Assert.Contains(PoolActionKind.Ping, pool.LastKinds);
    }

    [Fact]
    public void The_grace_counts_from_the_start_of_the_operation()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.Call();
        pool.Ready(0);
        pool.Leave(call);
        pool.Now = 1.5;
        pool.Started(0);
        pool.Now = 3.4;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now = 3.5;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void A_worker_failure_fails_the_started_call_when_the_cause_is_known()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.FillWorkers()[0];
        var worker = pool[0];
        pool.ChannelEnded(0);
        Assert.Equal(CallState.Lost, call.State);
        Assert.DoesNotContain(PoolActionKind.FailLost, pool.LastKinds);
        pool.Reaped(0);
        Assert.Equal(new PoolAction(PoolActionKind.FailLost, worker, call), pool.Last[0]);
        Assert.NotSame(worker, pool[0]);
    }

    [Fact]
    public void A_worker_failure_requeues_the_unstarted_call_before_all_others()
    {
        var pool = new PoolSetup(max: 1);
        var moved = pool.Call();
        pool.Ready(0);
        var behind = pool.Call();
        pool.ChannelEnded(0);
        pool.Reaped(0);
        pool.Ready(0);
        Assert.Equal(new PoolAction(PoolActionKind.Dispatch, pool[0], moved, 1), Assert.Single(pool.Last));
        Assert.Equal(1UL, moved.CallId);
        Assert.Equal(CallState.Queued, behind.State);
    }

    [Fact]
    public void A_call_that_no_worker_survives_is_not_requeued_forever()
    {
        var pool = new PoolSetup(max: 1, budget: 100);
        var call = pool.Call();
        for (var i = 0; i < WorkerFailure.MostMoves; i++)
        {
            pool.Ready(0);
            pool.ChannelEnded(0);
            pool.Reaped(0);
        }

        Assert.Contains(PoolActionKind.FailUnstarted, pool.LastKinds);
        Assert.Equal(CallState.Ended, call.State);
    }

    [Fact]
    public void A_call_that_is_cancelled_between_worker_failure_and_exit_has_one_outcome()
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.FillWorkers()[0];
        pool.ChannelEnded(0);
        Assert.True(pool.Leave(call));
        pool.Reaped(0);
        Assert.DoesNotContain(PoolActionKind.FailLost, pool.LastKinds);
        Assert.Equal(0, pool.Table.InPool);
    }

    [Fact]
    public void A_violation_fails_its_call_at_once_and_ends_its_worker_and_affects_no_other_call()
    {
        var pool = new PoolSetup();
        var calls = pool.FillWorkers();
        pool.Violated(0);
        Assert.Equal([PoolActionKind.Kill, PoolActionKind.FailViolation], pool.LastKinds);
        Assert.Same(calls[0].State == CallState.Ended ? calls[0] : calls[1], pool.Last[1].Call);
        Assert.Equal(WorkerState.Busy, pool[1].State);
    }

    [Fact]
    public void The_maximum_counts_failed_workers_until_they_are_reaped()
    {
        var pool = new PoolSetup(max: 1);
        pool.FillWorkers();
        pool.Call();
        pool.ChannelEnded(0);
        Assert.DoesNotContain(PoolActionKind.Spawn, pool.LastKinds);
        pool.Reaped(0);
        Assert.Contains(PoolActionKind.Spawn, pool.LastKinds);
    }

    [Fact]
    public void Only_idle_workers_above_the_minimum_retire_the_longest_idle_first()
    {
        var pool = new PoolSetup(min: 1, max: 3);
        pool.FillWorkers();
        pool.Now = 1;
        pool.Answered(2);
        pool.Now = 2;
        pool.Answered(0);
        Assert.Equal(TimeSpan.FromSeconds(11), pool.Foreseen);
        pool.Now = 11;
        pool.Tick();
        Assert.Equal(new PoolAction(PoolActionKind.Retire, pool[2], null), Assert.Single(pool.Last));
        pool.Now = 12;
        pool.Tick();
        Assert.Equal(new PoolAction(PoolActionKind.Retire, pool[0], null), Assert.Single(pool.Last));
        pool.Now = 100;
        pool.Answered(1);
        pool.Now = 200;
        pool.Tick();
        Assert.Equal(WorkerState.Idle, pool[1].State);
    }

    [Fact]
    public void A_worker_that_does_not_exit_when_drained_is_killed()
    {
        var pool = new PoolSetup(max: 1);
        pool.FillWorkers();
        pool.Answered(0);
        pool.Now = 10;
        pool.Tick();
        pool.Now = 12;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void An_idle_pool_at_its_minimum_sets_no_timer()
    {
        var pool = new PoolSetup(min: 1);
        pool.Ready(0);
        Assert.Null(pool.Foreseen);
    }

    [Fact]
    public void A_start_that_fails_with_a_reason_fails_all_calls_that_wait_for_it()
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        var calls = new[] { pool.Call(), pool.Call(), pool.Call(waits: true) };
        pool.StartFailed(0);
        Assert.Equal(3, pool.LastKinds.Count(kind => kind == PoolActionKind.FailStart));
        Assert.All(calls, call => Assert.Equal(CallState.Ended, call.State));
    }

    [Fact]
    public void A_start_that_fails_beside_a_running_worker_fails_no_call()
    {
        var pool = new PoolSetup(max: 2);
        pool.Call();
        pool.Ready(0);
        var waiting = pool.Call();
        pool.StartFailed(1);
        Assert.Equal(CallState.Queued, waiting.State);
    }

    [Fact]
    public void A_worker_that_failed_during_its_start_is_replaced_until_the_restart_budget_is_used_up()
    {
        var pool = new PoolSetup(max: 1, budget: 3);
        var call = pool.Call();
        for (var i = 0; i < 2; i++)
        {
            pool.StartFailed(0, isDefinite: false);
            Assert.Equal(CallState.Queued, call.State);
            pool.Reaped(0);
            Assert.Contains(PoolActionKind.Spawn, pool.LastKinds);
        }

        pool.StartFailed(0, isDefinite: false);
        Assert.Equal(PoolActionKind.FailStart, Assert.Single(pool.Last).Kind);
        pool.Reaped(0);
        Assert.Empty(pool.Last);

        // During the pause no caller waits without need.
        pool.Call(waits: true);
        Assert.Equal(PoolActionKind.FailStart, Assert.Single(pool.Last).Kind);
        pool.Now = 1;
        pool.Call();
        Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Pauses_double_up_to_thirty_seconds_and_end_with_a_started_call(int budget)
    {
        var pool = new PoolSetup(min: 1, max: 1, budget: budget);
        var pauses = new List<double>();
        for (var i = 1; i < budget; i++)
        {
            pool.StartFailed(0);
            pool.Reaped(0);
            Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
        }

        for (var i = 0; i < 7; i++)
        {
            pool.StartFailed(0);
            pool.Reaped(0);
            var next = pool.Foreseen!.Value.TotalSeconds;
            pauses.Add(next - pool.Now);
            pool.Now = next;
            pool.Tick();
            Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
        }

        Assert.Equal([1, 2, 4, 8, 16, 30, 30], pauses);
        pool.Ready(0);
        pool.Call();
        pool.Started(0);
        Assert.False(pool.Table.Restarts.IsProbing);
    }

    [Fact]
    public void Failed_starts_that_are_ten_seconds_apart_are_not_added()
    {
        var pool = new PoolSetup(min: 1, max: 1, budget: 2);
        for (var i = 0; i < 10; i++)
        {
            pool.StartFailed(0);
            pool.Reaped(0);
            Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
            pool.Now += 10.1;
        }
    }

    [Fact]
    public void After_a_pause_one_worker_is_started_and_the_others_follow_when_it_runs_a_call()
    {
        var pool = new PoolSetup(max: 3, queue: 10, budget: 1);
        pool.Call();
        pool.StartFailed(0);
        pool.Reaped(0);
        pool.Now = 1;
        for (var i = 0; i < 3; i++)
        {
            pool.Call();
        }

        Assert.Equal(1, pool.Table.Starting);
        pool.Ready(0);
        Assert.Equal(1, pool.Table.Starting);
        pool.Started(0);
        Assert.Equal(2, pool.Table.Starting);
    }

    [Fact]
    public void A_worker_that_fails_during_a_call_does_not_use_the_restart_budget()
    {
        var pool = new PoolSetup(max: 1, budget: 1);
        for (var i = 0; i < 10; i++)
        {
            pool.FillWorkers();
            pool.ChannelEnded(0);
            pool.Reaped(0);
        }

        Assert.False(pool.Table.Restarts.IsClosed(pool.Time));
    }

    [Fact]
    public void A_drained_pool_has_served_all_calls_that_came_before()
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        pool.FillWorkers();
        pool.Call();
        var waiting = pool.Call(waits: true);
        pool.Drain();
        Assert.Empty(pool.Last);
        pool.Call(waits: true);
        Assert.Equal(PoolActionKind.RejectDraining, Assert.Single(pool.Last).Kind);

        pool.Answered(0);
        Assert.Equal(CallState.Admitted, waiting.State);
        pool.Submit(waiting);
        pool.Started(0);
        pool.Answered(0);
        pool.Started(0);
        Assert.DoesNotContain(PoolActionKind.Retire, pool.LastKinds);
        pool.Answered(0);
        Assert.Equal(PoolActionKind.Retire, Assert.Single(pool.Last).Kind);
        pool.ChannelEnded(0);
        Assert.False(pool.Table.IsDrained);
        pool.Reaped(0);
        Assert.Equal(PoolActionKind.Drained, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void A_pool_that_drains_without_work_does_not_wait_for_workers_that_start()
    {
        var pool = new PoolSetup(min: 1);
        pool.Drain();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
        pool.StartFailed(0, isDefinite: false);
        pool.Reaped(0);
        Assert.Equal(PoolActionKind.Drained, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void An_aborted_pool_rejects_waiting_calls_and_kills_busy_workers()
    {
        var pool = new PoolSetup(max: 1, queue: 1);
        var running = pool.FillWorkers()[0];
        pool.Call();
        pool.Call(waits: true);
        pool.Abort();
        Assert.Equal([PoolActionKind.RejectDraining, PoolActionKind.RejectDraining, PoolActionKind.Kill], pool.LastKinds);
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Equal([PoolActionKind.FailLost, PoolActionKind.Drained], pool.LastKinds);
        Assert.Equal(CallState.Ended, running.State);
    }

    [Fact]
    public void A_worker_that_answers_while_it_is_being_killed_gets_no_other_call()
    {
        var pool = new PoolSetup(max: 1);
        var stubborn = pool.FillWorkers()[0];
        var next = pool.Call();
        Assert.True(pool.Leave(stubborn));
        pool.Now = 2;
        pool.Tick();
        Assert.Equal(new PoolAction(PoolActionKind.Kill, pool[0], null), Assert.Single(pool.Last));

        // The answer overtakes the signal: the next call must not be lost because of the kill for another call.
        Assert.False(pool.Answered(0));
        Assert.Empty(pool.Last);
        Assert.Equal(CallState.Queued, next.State);
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
        Assert.False(pool.Table.Restarts.IsProbing);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_worker_whose_data_channel_was_lost_before_READY_never_becomes_ready(bool violated)
    {
        var pool = new PoolSetup(max: 1);
        var call = pool.Call();
        if (violated)
        {
            pool.Violated(0);
        }
        else
        {
            pool.ChannelEnded(0);
        }

        Assert.False(pool.Ready(0));
        Assert.Equal((WorkerState.Starting, CallState.Queued), (pool[0].State, call.State));
        pool.StartFailed(0, isDefinite: false);
        pool.Reaped(0);
        Assert.Equal(PoolActionKind.Spawn, Assert.Single(pool.Last).Kind);
    }

    [Fact]
    public void A_grace_of_zero_applies_to_cancelled_calls_and_not_to_retiring_workers()
    {
        var pool = new PoolSetup(min: 0, max: 1, grace: 0);
        pool.FillWorkers();
        pool.Answered(0);
        pool.Now = 10;
        pool.Tick();
        Assert.Equal(PoolActionKind.Retire, Assert.Single(pool.Last).Kind);
        pool.Now = 11.9;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now = 12;
        pool.Tick();
        Assert.Equal(PoolActionKind.Kill, Assert.Single(pool.Last).Kind);
    }
}
