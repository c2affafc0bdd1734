using Weir.Execution.Observation;
using Weir.Execution.Observation.Findings;
using Weir.Tests.Execution;

namespace Weir.Tests.Observation.Findings;

/// <summary>Each kind of finding is raised by its cause at once, and cleared ten seconds after it.</summary>
public sealed class FindingTests
{
    [Fact]
    public void A_pool_that_is_paused_says_so() => Assert.Contains("is paused", Assert.Single(FindingRules.Apply(Empty with { Pools = [new PoolState("images", new PoolReading { IsPaused = true })] })).Sentence, StringComparison.Ordinal);

    private static readonly DateTimeOffset Start = DateTimeOffset.UnixEpoch.AddDays(1);
    private static readonly PoolReading Busy = new() { MinWorkers = 1, MaxWorkers = 8, Workers = 8, Busy = 8, QueueLimit = 80 };
    private static readonly Operation Scale = Isolated("Images", "Scale", "images");

    [Fact]
    public void A_pool_that_cannot_start_workers_is_found_with_the_reason()
    {
        var finding = RaisedAndCleared(
            Pool(new PoolReading { StartFailure = "start: services, \"connection refused\"" }) with { Events = Ended(WorkerEnd.StartFailed, 5), Reports = [Report("start: services", null)] },
            Pool(new PoolReading()));
        Assert.Equal((FindingKind.CannotStart, FindingSeverity.Failing, "images", "images-4711-3"), (finding.Kind, finding.Severity, finding.Pool, finding.ReportId));
        Assert.Equal("images cannot start workers (5 starts failed in the last minute): start: services, \"connection refused\"", finding.Sentence);
        Assert.Contains("mend what its start needs", finding.ToDo, StringComparison.Ordinal);
    }

    [Fact]
    public void Three_workers_that_fail_in_a_minute_are_found_with_cause_and_operation()
    {
        var finding = RaisedAndCleared(
            Pool(new PoolReading()) with { Events = Ended(WorkerEnd.FailedInCall, 3), Reports = [Report("out of memory (exit code 4)", "Images/Scale")] },
            Pool(new PoolReading()) with { Events = Ended(WorkerEnd.FailedInCall, 2), Reports = [Report("out of memory (exit code 4)", "Images/Scale")] });
        Assert.Equal((FindingKind.WorkersFail, FindingSeverity.Failing, "images", "Images/Scale", "images-4711-3"), (finding.Kind, finding.Severity, finding.Pool, finding.Operation, finding.ReportId));
        Assert.Equal("Images/Scale ended 3 workers of images in the last minute: out of memory (exit code 4)", finding.Sentence);
    }

    [Fact]
    public void A_call_in_quarantine_is_found()
    {
        var finding = RaisedAndCleared(Pool(new PoolReading { Quarantined = 1 }), Pool(new PoolReading()));
        Assert.Equal(FindingKind.WorkersFail, finding.Kind);
        Assert.EndsWith("; 1 call is in quarantine", finding.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Workers_that_failed_longer_ago_than_a_minute_those_of_other_pools_and_those_that_retired_are_not_counted()
    {
        var state = Pool(new PoolReading()) with
        {
            Events =
            [
                .. Ended(WorkerEnd.FailedInCall, 2), .. Ended(WorkerEnd.Idle, 20),
                .. Ended(WorkerEnd.FailedInCall, 5).Select(static one => one with { Ticks = one.Ticks - TimeSpan.FromSeconds(61).Ticks }),
                .. Ended(WorkerEnd.FailedInCall, 5).Select(static one => one with { Pool = "other" }),
            ],
        };
        Assert.Empty(FindingRules.Apply(state));
    }

    [Fact]
    public void A_pool_that_rejects_calls_is_found_with_what_its_workers_run()
    {
        var full = Pool(Busy with { Queued = 80 }, rejected: 120) with { Calls = [Call(Scale, TimeSpan.FromSeconds(3)), Call(Scale, TimeSpan.FromSeconds(2))] };
        var finding = RaisedAndCleared(full, full with { Pools = [full.Pools[0] with { Rejected = 0 }] });
        Assert.Equal((FindingKind.Rejecting, FindingSeverity.Failing, "images", "Images/Scale"), (finding.Kind, finding.Severity, finding.Pool, finding.Operation));
        Assert.Equal("images rejects calls: 120 in the last 10 s. 80 calls wait (at most 80), 8 of 8 are busy, mostly with Images/Scale", finding.Sentence);
    }

    [Theory]
    [InlineData(200, 31, true)]
    [InlineData(200, 10, true)]
    [InlineData(201, 10, false)]
    [InlineData(9, 9, false)]
    public void An_operation_fails_when_ten_calls_and_one_in_twenty_of_a_minute_do(int calls, int failed, bool isFound)
    {
        var state = Empty with { Operations = [new OperationState(Scale, calls, failed, "TimeoutException")] };
        if (!isFound)
        {
            Assert.Empty(FindingRules.Apply(state));
            return;
        }

        var finding = RaisedAndCleared(state, Empty);
        Assert.Equal((FindingKind.Failing, FindingSeverity.Failing, "Images/Scale"), (finding.Kind, finding.Severity, finding.Operation));
        Assert.Equal($"Images/Scale fails: {failed} of {calls} in the last minute, mostly TimeoutException", finding.Sentence);
    }

    [Fact]
    public void Calls_that_wait_behind_busy_workers_are_found()
    {
        var waiting = Pool(Busy with { Queued = 47, WaitingForCapacity = 1, Oldest = TimeSpan.FromSeconds(12.4) });
        var finding = RaisedAndCleared(waiting, Pool(Busy with { Queued = 47, Oldest = TimeSpan.FromSeconds(0.9) }), TimeSpan.FromSeconds(12.4));
        Assert.Equal((FindingKind.Waiting, FindingSeverity.Waiting, "images"), (finding.Kind, finding.Severity, finding.Pool));
        Assert.Equal("images: 48 calls wait, the oldest 12.4 s; 8 of 8 are busy", finding.Sentence);
    }

    [Fact]
    public void Calls_that_wait_because_there_is_no_capacity_for_more_workers_are_found()
    {
        var waiting = Pool(Busy with { Busy = 3, Queued = 10, Oldest = TimeSpan.FromSeconds(21.2), Missing = (2, "memory") });
        Assert.Contains("images: 10 calls wait, the oldest 21.2 s; 3 of 8 are busy", FindingRules.Apply(waiting).Select(static one => one.Sentence));
        Assert.Empty(FindingRules.Apply(Pool(Busy with { Busy = 3, Queued = 10, Oldest = TimeSpan.FromSeconds(21.2) })));
    }

    [Fact]
    public void Calls_that_wait_no_longer_than_calls_usually_take_are_not_found()
    {
        var waiting = Pool(Busy with { Queued = 47, Oldest = TimeSpan.FromSeconds(12.4) });
        Assert.Empty(FindingRules.Apply(waiting with { Pools = [waiting.Pools[0] with { Median = 5 }] }));
        Assert.Single(FindingRules.Apply(waiting with { Pools = [waiting.Pools[0] with { Median = 4 }] }));
        Assert.Empty(FindingRules.Apply(waiting with { Pools = [waiting.Pools[0] with { Reading = waiting.Pools[0].Reading with { Busy = 7 } }] }));
    }

    [Fact]
    public void A_call_that_runs_for_more_than_30_seconds_is_found_with_its_worker()
    {
        var finding = RaisedAndCleared(
            Empty with { Calls = [Call(Scale, TimeSpan.FromSeconds(252))] },
            Empty with { Calls = [Call(Scale, TimeSpan.FromSeconds(29))] },
            TimeSpan.FromSeconds(252));
        Assert.Equal((FindingKind.LongCall, FindingSeverity.Waiting, "Images/Scale", "812"), (finding.Kind, finding.Severity, finding.Operation, finding.Subject));
        Assert.Equal("Images/Scale #812 runs for 4 min 12 s on worker 5092", finding.Sentence);
    }

    [Fact]
    public void A_call_that_is_cancelled_and_does_not_stop_is_found()
    {
        var cancelled = Call(Scale, TimeSpan.FromSeconds(3)) with { IsCancelled = true };
        var finding = RaisedAndCleared(Empty with { Calls = [cancelled] }, Empty, TimeSpan.FromSeconds(3));
        Assert.Equal("Images/Scale #812 is cancelled and does not stop: it runs for 3.0 s on worker 5092", finding.Sentence);
        Assert.Contains("CancelGrace", finding.ToDo, StringComparison.Ordinal);
    }

    [Fact]
    public void A_call_that_waits_for_long_is_not_a_long_call() =>
        Assert.Empty(FindingRules.Apply(Empty with { Calls = [Call(Scale, TimeSpan.Zero) with { Times = new PhaseTimes(default, default, TimeSpan.FromMinutes(1), default, default), IsCancelled = true }] }));

    [Fact]
    public void A_starved_thread_pool_is_found_with_what_blocks_it()
    {
        var finding = RaisedAndCleared(Empty with { StarvedSince = Start, Blocking = [("Prices/Slow", 14)] }, Empty);
        Assert.Equal((FindingKind.Starved, FindingSeverity.Waiting, "Prices/Slow"), (finding.Kind, finding.Severity, finding.Operation));
        Assert.Equal("the thread pool is starved: Prices/Slow blocks 14 threads", finding.Sentence);
    }

    [Fact]
    public void An_operation_that_blocks_threads_is_found()
    {
        var finding = RaisedAndCleared(Empty with { BlockedCalls = [("Prices/Slow", 1)] }, Empty);
        Assert.Equal((FindingKind.Blocks, "Prices/Slow"), (finding.Kind, finding.Operation));
        Assert.EndsWith("now with 1 call", finding.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_for_which_the_host_has_no_capacity_is_found()
    {
        var finding = RaisedAndCleared(Pool(new PoolReading { Missing = (3, "memory") }), Pool(new PoolReading()));
        Assert.Equal((FindingKind.Capacity, "images needs 3 more workers: the host has no capacity (memory)"), (finding.Kind, finding.Sentence));
    }

    [Fact]
    public void Three_workers_that_were_replaced_for_their_memory_in_ten_minutes_are_found()
    {
        var finding = RaisedAndCleared(Pool(new PoolReading()) with { Events = Ended(WorkerEnd.Memory, 3) }, Pool(new PoolReading()) with { Events = Ended(WorkerEnd.Memory, 2) });
        Assert.Equal(FindingKind.Memory, finding.Kind);
        Assert.StartsWith("images replaced 3 workers in 10 min", finding.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void A_worker_that_holds_nine_tenths_of_its_memory_is_found_with_its_process_and_its_limit()
    {
        var finding = RaisedAndCleared(
            Memory(new(4711, 100 << 20, 512 << 20), new(5092, 500 << 20, 512 << 20), new(5093, 461 << 20, 512 << 20)),
            Memory(new(4711, 100 << 20, 512 << 20), new(5092, 460 << 20, 512 << 20)));
        Assert.Equal((FindingKind.Memory, FindingSeverity.Waiting, "images", "limit"), (finding.Kind, finding.Severity, finding.Pool, finding.Subject));
        Assert.Equal("images: worker 5092 holds 500 MB of the 512 MB that it may have, and 1 other is as near to it", finding.Sentence);
        Assert.Contains("MemoryLimitBytes", finding.ToDo, StringComparison.Ordinal);

        static ObservedState Memory(params WorkerMemory[] workers) => Empty with { Pools = [new PoolState("images", default) { Memory = workers }] };
    }

    [Fact]
    public void A_worker_near_its_limit_and_workers_that_were_replaced_are_two_findings()
    {
        var state = Pool(default) with { Events = Ended(WorkerEnd.Memory, 3) };
        var tracker = new FindingTracker();
        tracker.Update(FindingRules.Apply(state with { Pools = [state.Pools[0] with { Memory = [new(5092, 511 << 20, 512 << 20)] }] }), Start);
        Assert.Equal([FindingKind.Memory, FindingKind.Memory], tracker.Current.Select(static one => one.Kind));
    }

    [Fact]
    public void A_pool_that_reloads_is_a_notice_while_workers_of_both_kinds_serve()
    {
        var finding = RaisedAndCleared(Pool(new PoolReading { Generations = (1, 3) }), Pool(new PoolReading()));
        Assert.Equal((FindingKind.State, FindingSeverity.Notice, "reloads"), (finding.Kind, finding.Severity, finding.Subject));
        Assert.Equal("images reloads: 1 worker serves with the new options, 3 workers with the old ones", finding.Sentence);
        Assert.Equal(["reloads", "drains"], FindingRules.Apply(Pool(new PoolReading { Generations = (1, 3), IsDraining = true })).Select(static one => one.Subject));
    }

    [Fact]
    public void A_pool_that_drains_and_limits_that_are_not_applied_are_notices()
    {
        var drains = RaisedAndCleared(Pool(new PoolReading { IsDraining = true }), Pool(new PoolReading()));
        Assert.Equal((FindingKind.State, FindingSeverity.Notice), (drains.Kind, drains.Severity));
        var limits = RaisedAndCleared(Pool(new PoolReading { MissingLimits = "memory: no control group" }), Pool(new PoolReading()));
        Assert.EndsWith("as BestEffort allows: memory: no control group", limits.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void An_application_in_which_all_is_well_has_no_finding() => Assert.Empty(FindingRules.Apply(
        Pool(Busy with { Queued = 3, Oldest = TimeSpan.FromMilliseconds(20) }) with
        {
            Operations = [new OperationState(Scale, 1000, 3, "TimeoutException")],
            Calls = [Call(Scale, TimeSpan.FromSeconds(3))],
            Events = Ended(WorkerEnd.Idle, 30),
        }));

    [Fact]
    public void The_worst_findings_come_first()
    {
        var state = Pool(new PoolReading { IsDraining = true, StartFailure = "no" }) with { Calls = [Call(Scale, TimeSpan.FromMinutes(1))] };
        Assert.Equal([FindingKind.CannotStart, FindingKind.LongCall, FindingKind.State], FindingRules.Apply(state).Select(static one => one.Kind));
        var tracker = new FindingTracker();
        tracker.Update(FindingRules.Apply(state), Start);
        Assert.Equal([FindingKind.CannotStart, FindingKind.LongCall, FindingKind.State], tracker.Current.Select(static one => one.Kind));
    }

    [Fact]
    public void A_finding_keeps_its_begin_while_its_figures_change_and_while_its_cause_is_absent_for_a_moment()
    {
        var tracker = new FindingTracker();
        tracker.Update(FindingRules.Apply(Pool(new PoolReading { StartFailure = "one" })), Start);
        tracker.Update([], Start.AddSeconds(5));
        tracker.Update(FindingRules.Apply(Pool(new PoolReading { StartFailure = "two" })), Start.AddSeconds(14));
        var finding = Assert.Single(tracker.Current);
        Assert.Equal((Start, Start), (finding.Since, tracker.ChangedAt));
        Assert.Contains("two", finding.Sentence, StringComparison.Ordinal);
    }

    private static ObservedState Empty => new() { Now = Start };

    // Raised at once; there after 9.9 s without its cause, and not after 10.
    private static Finding RaisedAndCleared(ObservedState with, ObservedState without, TimeSpan before = default)
    {
        var tracker = new FindingTracker();
        Assert.Null(tracker.ChangedAt);
        tracker.Update(FindingRules.Apply(with), Start);
        var finding = tracker.Current[0];
        Assert.Equal(Start - before, finding.Since);
        Assert.NotEmpty(finding.ToDo);
        tracker.Update(FindingRules.Apply(without), Start.AddSeconds(9.9));
        Assert.Contains(tracker.Current, one => one.Key == finding.Key);
        tracker.Update(FindingRules.Apply(without), Start.AddSeconds(10));
        Assert.DoesNotContain(tracker.Current, one => one.Key == finding.Key);
        Assert.Equal(Start.AddSeconds(10), tracker.ChangedAt);
        return finding;
    }

    private static ObservedState Pool(PoolReading reading, long rejected = 0) => Empty with { Pools = [new PoolState("images", reading) { Rejected = rejected }] };

    private static WorkerEvent[] Ended(WorkerEnd end, int count) =>
        [.. Enumerable.Range(0, count).Select(i => new WorkerEvent("images", i, Start.AddSeconds(-i).UtcTicks, 4711, 0, WorkerEventKind.Ended, end))];

    private static CrashReportSummary Report(string cause, string? operation) => new("images-4711-3", Start, "images", cause, "call", operation, 4711);

    private static RunningCallReading Call(Operation operation, TimeSpan runs) =>
        new(812, operation, RecordedPhase.Assigned, PhaseTimes.Of(runs), default, 5092, IsCancelled: false);

    private static Operation Isolated(string service, string name, string pool)
    {
        var operation = new Operation
        {
            Name = name,
            Verbs = Verbs.Post,
            Placement = Placement.Isolated,
            Pool = pool,
            ResultKind = ResultKind.Value,
            Signature = 1,
            CreateCall = static operation => new DelegateCall(operation, static _ => 0),
        };
        _ = new Service { Name = service, TypeName = service, CreateInstance = static _ => new object(), Operations = [operation] };
        return operation;
    }
}
