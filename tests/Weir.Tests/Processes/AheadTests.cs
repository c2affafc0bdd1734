using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>Calls that are sent to a worker before it has answered the ones before.</summary>
public class AheadTests
{
    internal static OperationTime Known(TimeSpan time)
    {
        var known = new OperationTime();
        for (var i = 0; i < OperationTime.LeastSamples; i++)
        {
            known.Learn(time);
        }

        return known;
    }

    /// <summary>Gives a call an expected time of twenty microseconds, of an operation for which no other test records times.</summary>
    internal static void IsShort(CallEntry call) => call.Time = Short;

    private static OperationTime Short => Known(TimeSpan.FromMicroseconds(20));

    [Fact]
    public void Short_calls_are_prefetched_up_to_the_bound_and_the_rest_waits()
    {
        var pool = Pool(queue: 20);
        var calls = Enumerable.Range(0, 15).Select(_ => pool.Call(with: IsShort)).ToArray();
        Assert.Equal(10, pool[0].Sent.Count);
        Assert.All(calls[..10], static call => Assert.Equal(CallState.Sent, call.State));
        Assert.Equal(5, pool.Table.Queue.Count);

        // Each answered call makes space for another one.
        pool.Answered(0, calls[..2]);
        Assert.Equal([calls[10], calls[11]], pool.Last.Select(static action => action.Call));
        Assert.Equal(12UL, calls[11].CallId);
    }

    [Fact]
    public void A_prefetched_call_takes_no_place()
    {
        var pool = Pool(queue: 2);
        var calls = Enumerable.Range(0, 14).Select(_ => pool.Call(waits: true, with: IsShort)).ToArray();
        Assert.Equal(10, pool[0].Sent.Count);
        Assert.Equal(9, pool.Table.Prefetched);
        Assert.Equal(2, pool.Table.Queue.Count);

        // The taken places are that of the running call and the two of the queue.
        Assert.Equal([CallState.Waiting, CallState.Waiting], States(calls[12..]));
        pool.Answered(0, calls[..1]);
        Assert.Equal([CallState.Sent, CallState.Queued, CallState.Admitted, CallState.Waiting], States(calls[10..]));

        static IEnumerable<CallState> States(CallEntry[] calls) => calls.Select(static call => call.State);
    }

    [Fact]
    public void Bytes_bound_the_prefetch_too()
    {
        var pool = Pool();
        for (var i = 0; i < 5; i++)
        {
            pool.Call(with: static call => (call.Time, call.Bytes) = (Short, 120_000));
        }

        Assert.Equal(2, pool[0].Sent.Count);
    }

    [Fact]
    public void Calls_of_unknown_duration_are_not_prefetched_and_nothing_is_prefetched_behind_them()
    {
        var pool = Pool();
        pool.Call();
        var behind = pool.Call(with: IsShort);
        Assert.Equal(CallState.Queued, behind.State);
        pool.Answered(0);
        Assert.Equal(CallState.Sent, behind.State);
        var unknown = pool.Call();
        Assert.Equal(CallState.Queued, unknown.State);

        // And no call overtakes it.
        Assert.Equal(CallState.Queued, pool.Call(with: IsShort).State);
    }

    [Fact]
    public void Streams_are_not_prefetched_and_nothing_is_prefetched_behind_them()
    {
        var pool = Pool();
        pool.Call(with: static call => (call.Time, call.IsStreamed) = (Short, true));
        Assert.Equal(CallState.Queued, pool.Call(with: IsShort).State);
        pool.Answered(0);
        Assert.Equal(CallState.Queued, pool.Call(with: static call => (call.Time, call.IsStreamed) = (Short, true)).State);
    }

    [Fact]
    public void A_worker_that_sends_STARTED_has_one_call_at_a_time()
    {
        var pool = new PoolSetup(max: 1);
        pool.Call(with: IsShort);
        pool.Ready(0);
        Assert.Equal(CallState.Queued, pool.Call(with: IsShort).State);
    }

    [Fact]
    public void A_worker_with_several_concurrent_calls_gets_no_prefetched_calls()
    {
        var pool = new PoolSetup(max: 1, queue: 10, with: static settings => settings with { Concurrency = 3 }) { HaveSharedMemory = true };
        var calls = Enumerable.Range(0, 5).Select(_ => pool.Call(with: IsShort)).ToArray();
        pool.Ready(0);
        Assert.Equal(3, pool[0].Sent.Count);
        pool.Answered(0, calls[1]);
        Assert.Equal(CallState.Sent, calls[3].State);
        Assert.Equal(13, pool.Table.Settings.Places);
    }

    [Fact]
    public void An_idle_worker_is_chosen_first_and_then_the_one_with_the_smallest_backlog()
    {
        var pool = new PoolSetup(min: 2, max: 2, queue: 20) { HaveSharedMemory = true };
        pool.Ready(0);
        pool.Ready(1);
        var first = pool.Call(with: IsShort);
        var second = pool.Call(with: IsShort);
        Assert.NotSame(first.Worker, second.Worker);
        pool.Call(with: static call => call.Time = Known(TimeSpan.FromMicroseconds(60)));
        var busier = pool.Table.Workers.MaxBy(static worker => worker.Backlog);
        Assert.NotSame(busier, pool.Call(with: IsShort).Worker);
    }

    [Fact]
    public void A_worker_failure_requeues_unstarted_calls_in_order_and_fails_started_ones()
    {
        var pool = Pool(queue: 20);
        var calls = Enumerable.Range(0, 4).Select(_ => pool.Call(with: IsShort)).ToArray();
        var waiting = pool.Call();

        // The first is answered from shared memory, the second ran, the others never started.
        pool.Do((now, actions) => WorkerDecisions.Closing(pool.Table, pool[0], now, actions));
        Assert.True(pool.Answered(0, calls[0]));
        pool.ChannelEnded(0, through: 2);
        Assert.Equal([CallState.Ended, CallState.Lost, CallState.Queued, CallState.Queued], calls.Select(static call => call.State));
        pool.Reaped(0);
        Assert.Contains(pool.Last, action => action is { Kind: PoolActionKind.FailLost } && action.Call == calls[1]);
        pool.Ready(0);
        Assert.Equal([calls[2], calls[3]], pool.Last.Where(static action => action.Kind == PoolActionKind.Dispatch).Select(static action => action.Call));
        Assert.Equal(CallState.Queued, waiting.State);
    }

    [Fact]
    public void Calls_that_a_worker_may_still_start_after_a_violation_wait_for_its_exit()
    {
        var pool = Pool();
        var calls = Enumerable.Range(0, 3).Select(_ => pool.Call(with: IsShort)).ToArray();
        pool.Violated(0, through: 1);
        Assert.Equal([PoolActionKind.Kill, PoolActionKind.FailViolation], pool.LastKinds);
        Assert.Equal([CallState.Ended, CallState.Sent, CallState.Sent], calls.Select(static call => call.State));

        // The worker started one more call before the signal reached it.
        pool.Do((now, actions) => WorkerDecisions.Reaped(pool.Table, pool[0], 2, new WorkerEntry(0), now, actions));
        Assert.Equal(PoolActionKind.FailLost, pool.Last[0].Kind);
        Assert.Equal([CallState.Ended, CallState.Ended, CallState.Queued], calls.Select(static call => call.State));
    }

    [Fact]
    public void An_invalid_answer_ends_the_batch_and_nothing_more_is_sent()
    {
        var pool = Pool();
        var call = pool.Call(with: IsShort);
        var behind = pool.Call();
        Answer[] answers = [new(call.CallId), new(7)];
        pool.Do((now, actions) => Assert.Equal(1, WorkerDecisions.Answered(pool.Table, pool[0], answers, default, now, actions)));
        Assert.Same(call, answers[0].Call);
        Assert.Equal(CallState.Queued, behind.State);
        Assert.DoesNotContain(PoolActionKind.Dispatch, pool.LastKinds);
    }

    private static PoolSetup Pool(int queue = 10)
    {
        var pool = new PoolSetup(min: 1, max: 1, queue: queue) { HaveSharedMemory = true };
        pool.Ready(0);
        return pool;
    }
}
