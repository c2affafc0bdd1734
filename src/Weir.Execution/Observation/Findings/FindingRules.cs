using System.Globalization;

namespace Weir.Execution.Observation.Findings;

/// <summary>
/// What is found in a state: pure functions, one for each kind. Their limits are those of the options and of the events of the log; what a healthy application shows, too, is not found.
/// </summary>
internal static class FindingRules
{
    private const int LeastWorkerFailures = 3;
    private const int LeastFailed = 10;
    private const double LeastFailedPart = 0.05;
    private const double MostOfMedian = 3;
    private const int LeastReplacements = 3;
    private const double NearLimitPart = 0.9;

    private static readonly TimeSpan Minute = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongCall = TimeSpan.FromSeconds(30);

    // A call that was cancelled gets a moment to notice it.
    private static readonly TimeSpan Notices = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan MemoryTime = TimeSpan.FromMinutes(10);

    /// <summary>Everything that is found, the worst first.</summary>
    public static IReadOnlyList<Finding> Apply(ObservedState state)
    {
        var findings = new List<Finding>();
        foreach (var pool in state.Pools)
        {
            Add(CannotStart(pool, state), WorkersFail(pool, state), Rejecting(pool, state), Waiting(pool, state), Capacity(pool), NearLimit(pool), Memory(pool, state), Reloads(pool), State(pool));
        }

        foreach (var operation in state.Operations)
        {
            Add(Failing(operation));
        }

        foreach (var call in state.Calls)
        {
            Add(Long(call, state));
        }

        Add(Starved(state));
        foreach (var (operation, calls) in state.BlockedCalls)
        {
            Add(Blocks(operation, calls));
        }

        return [.. findings.OrderBy(static one => one.Severity)];

        void Add(params ReadOnlySpan<Finding?> found)
        {
            foreach (var one in found)
            {
                if (one is not null)
                {
                    findings.Add(one);
                }
            }
        }
    }

    private static Finding? CannotStart(PoolState pool, ObservedState state)
    {
        if (pool.Reading.StartFailure is not { } failure)
        {
            return null;
        }

        var failed = Count(pool, state, Minute, static end => end == WorkerEnd.StartFailed);
        var report = LastReport(pool, state);
        return new Finding(
            FindingKind.CannotStart, FindingSeverity.Failing, pool.Name, null, null,
            Text($"{pool.Name} cannot start workers{(failed > 0 ? $" ({failed} starts failed in the last minute)" : "")}: {failure}"),
            $"Read the crash report for what the worker printed; then mend what its start needs. The pool tries again by itself. See {WeirCodes.WorkerStartFailed}.", report?.Id);
    }

    private static Finding? WorkersFail(PoolState pool, ObservedState state)
    {
        var failed = Count(pool, state, Minute, static end => end is WorkerEnd.FailedInCall or WorkerEnd.FailedIdle or WorkerEnd.Killed or WorkerEnd.StartFailed);
        if (failed < LeastWorkerFailures && pool.Reading.Quarantined == 0)
        {
            return null;
        }

        var report = LastReport(pool, state);
        var quarantined = pool.Reading.Quarantined == 0 ? "" : Text($"; {Number(pool.Reading.Quarantined, "call is", "calls are")} in quarantine");
        return new Finding(
            FindingKind.WorkersFail, FindingSeverity.Failing, pool.Name, report?.Operation, null,
            Text($"{report?.Operation ?? pool.Name} ended {Number(failed, "worker", "workers")} of {pool.Name} in the last minute{(report is null ? "" : $": {report.Cause}")}{quarantined}"),
            $"Read the crash report: it has the cause, the last calls and what the worker printed. See {WeirCodes.WorkerLost}.", report?.Id);
    }

    private static Finding? Rejecting(PoolState pool, ObservedState state) => pool.Rejected == 0 ? null : new Finding(
        FindingKind.Rejecting, FindingSeverity.Failing, pool.Name, Busiest(pool, state), null,
        Text($"{pool.Name} rejects calls: {pool.Rejected} in the last 10 s. {Number(pool.Reading.Queued, "call waits", "calls wait")} (at most {pool.Reading.QueueLimit}), {BusyWorkers(pool, state)}"),
        $"Find out why its calls take long, raise MaxWorkers if the machine has processors for more, or QueueLimit if callers can wait. See {WeirCodes.QueueFull}.");

    private static Finding? Failing(OperationState operation) =>
        operation.Failed < LeastFailed || operation.Failed < LeastFailedPart * operation.Calls ? null : new Finding(
            FindingKind.Failing, FindingSeverity.Failing, operation.Operation.Pool, operation.Operation.FullName, null,
            Text($"{operation.Operation.FullName} fails: {operation.Failed} of {operation.Calls} in the last minute{(operation.Error is null ? "" : $", mostly {operation.Error}")}"),
            "Look at its last failed calls, on the page or at operation?of=NAME: their traces and workers lead to the log lines with the exceptions.");

    private static Finding? Waiting(PoolState pool, ObservedState state)
    {
        var reading = pool.Reading;
        return reading.Oldest is not { } oldest || oldest <= LongWait || reading.Busy == 0 || (reading.Busy < reading.MaxWorkers && reading.Missing is null) || oldest.TotalSeconds <= MostOfMedian * (pool.Median ?? 0)
            ? null
            : new Finding(
                FindingKind.Waiting, FindingSeverity.Waiting, pool.Name, Busiest(pool, state), null,
                Text($"{pool.Name}: {Number(reading.Queued + reading.WaitingForCapacity, "call waits", "calls wait")}, the oldest {Time(oldest)}; {BusyWorkers(pool, state)}"),
                "Look at what its workers run: a call that takes long blocks the others. Raise MaxWorkers, or give slow operations a pool of their own.")
            {
                Since = state.Now - oldest,
            };
    }

    private static Finding? Long(RunningCallReading call, ObservedState state)
    {
        // How long it waited is the finding of its pool.
        var runs = call.Times.Run;
        var ignores = call.IsCancelled && runs > Notices;
        return runs <= LongCall && !ignores ? null : new Finding(
            FindingKind.LongCall, FindingSeverity.Waiting, call.Operation.Pool, call.Operation.FullName, call.Id.ToString(CultureInfo.InvariantCulture),
            Text($"{call.Operation.FullName} #{call.Id} {(call.IsCancelled ? "is cancelled and does not stop: it runs" : "runs")} for {Time(runs)}{(call.ProcessId == 0 ? "" : $" on worker {call.ProcessId}")}"),
            call.IsCancelled
                ? "Its code does not observe its CancellationToken. In a worker, the pool kills it after CancelGrace; in this process nothing can end it."
                : call.ProcessId == 0
                    ? "If that is not expected, end what it waits for, and give its callers a deadline."
                    : Text($"If that is not expected, give its callers a deadline; weir kill URL {call.Operation.Pool} {call.ProcessId} ends it with its worker."))
        {
            Since = state.Now - runs,
        };
    }

    private static Finding? Starved(ObservedState state) => state.StarvedSince is null ? null : new Finding(
        FindingKind.Starved, FindingSeverity.Waiting, null, state.Blocking.Count > 0 ? state.Blocking[0].Operation : null, null,
        state.Blocking.Count > 0
            ? Text($"the thread pool is starved: {string.Join(", ", state.Blocking.Select(static one => $"{one.Operation} blocks {Number(one.Threads, "thread", "threads")}"))}")
            : "the thread pool is starved: all requests wait for a thread",
        "Write [Blocking] above the method of a synchronous operation; let an asynchronous one await what it waits for. The events 4403 to 4405 in the log say more.");

    private static Finding? Blocks(string operation, long calls) => new(
        FindingKind.Blocks, FindingSeverity.Waiting, null, operation, null,
        Text($"{operation} blocks threads of the thread pool, which all requests need, now with {Number(calls, "call", "calls")}"),
        "Write [Blocking] above its method, and it runs on the lane; or let it await what it waits for.");

    private static Finding? Capacity(PoolState pool) => pool.Reading.Missing is not var (wanted, bound) ? null : new Finding(
        FindingKind.Capacity, FindingSeverity.Waiting, pool.Name, null, null,
        Text($"{pool.Name} needs {Number(wanted, "more worker", "more workers")}: the host has no capacity ({bound})"),
        "Its calls wait for the workers that it has. Give the host more of what is missing, or lower what other pools may use.");

    private static Finding? Memory(PoolState pool, ObservedState state)
    {
        var replaced = Count(pool, state, MemoryTime, static end => end == WorkerEnd.Memory);
        return replaced < LeastReplacements ? null : new Finding(
            FindingKind.Memory, FindingSeverity.Waiting, pool.Name, null, null,
            Text($"{pool.Name} replaced {replaced} workers in 10 min, because they held more than MemorySoftLimitBytes"),
            "Its code keeps memory between calls, or the limit is too low for what a call needs.");
    }

    private static Finding? NearLimit(PoolState pool)
    {
        WorkerMemory[] near = [.. pool.Memory.Where(static worker => worker.Share >= NearLimitPart).OrderByDescending(static worker => worker.Share)];
        return near.Length == 0 ? null : new Finding(
            FindingKind.Memory, FindingSeverity.Waiting, pool.Name, null, "limit",
            Text($"{pool.Name}: worker {near[0].ProcessId} holds {Megabytes(near[0].Bytes)} MB of the {Megabytes(near[0].LimitBytes)} MB that it may have{(near.Length == 1 ? "" : $", and {Number(near.Length - 1, "other is", "others are")} as near to it")}"),
            $"At the limit it ends, and the calls that it runs are lost. Look at what it runs; set MemorySoftLimitBytes, so that it is replaced between calls; or raise MemoryLimitBytes. See {WeirCodes.WorkerLost}.");
    }

    private static Finding? Reloads(PoolState pool) => pool.Reading.Generations is not var (current, old) ? null : new Finding(
        FindingKind.State, FindingSeverity.Notice, pool.Name, null, "reloads",
        Text($"{pool.Name} reloads: {Number(current, "worker serves", "workers serve")} with the new options, {Number(old, "worker", "workers")} with the old ones"),
        "Nothing: an old worker ends when its calls have. If it lasts, look at the calls that they run, and at whether new workers can start.");

    private static Finding? State(PoolState pool) =>
        pool.Reading.IsDraining ? new Finding(FindingKind.State, FindingSeverity.Notice, pool.Name, null, "drains", $"{pool.Name} drains: it accepts no more calls", "Nothing, if the application is shutting down.")
        : pool.Reading.IsPaused ? new Finding(FindingKind.State, FindingSeverity.Notice, pool.Name, null, "paused", $"{pool.Name} is paused: its calls wait", "Resume it when what it needs is back: weir resume URL POOL.")
        : pool.Reading.MissingLimits is { } missing ? new Finding(
            FindingKind.State, FindingSeverity.Notice, pool.Name, null, "limits", $"{pool.Name} runs without a limit that was asked for, as BestEffort allows: {missing}", "'weir doctor' says what the machine lacks.")
        : null;

    // ---- what several of them say ----

    private static int Count(PoolState pool, ObservedState state, TimeSpan time, Func<WorkerEnd, bool> counts)
    {
        var (count, from) = (0, (state.Now - time).UtcTicks);
        foreach (var one in state.Events)
        {
            count += one.Kind == WorkerEventKind.Ended && one.Ticks > from && one.Pool == pool.Name && counts(one.End) ? 1 : 0;
        }

        return count;
    }

    private static CrashReportSummary? LastReport(PoolState pool, ObservedState state) => state.Reports.FirstOrDefault(report => report.Pool == pool.Name);

    private static string BusyWorkers(PoolState pool, ObservedState state)
    {
        var busiest = Busiest(pool, state);
        return Text($"{pool.Reading.Busy} of {pool.Reading.MaxWorkers} are busy{(busiest is null ? "" : $", mostly with {busiest}")}");
    }

    // The operation that most of its workers run.
    private static string? Busiest(PoolState pool, ObservedState state) => state.Calls
        .Where(call => call.Phase is RecordedPhase.Assigned or RecordedPhase.Run && IObservedPool.Owns(pool.Name, call.Operation))
        .GroupBy(static call => call.Operation.FullName)
        .MaxBy(static group => group.Count())?.Key;

    private static string Number(long count, string one, string many) => Text($"{count} {(count == 1 ? one : many)}");

    private static string Megabytes(long bytes) => Text($"{bytes >> 20:#,0}");

    private static string Time(TimeSpan time) => time.TotalMinutes >= 1 ? Text($"{(long)time.TotalMinutes} min {time.Seconds} s") : Text($"{time.TotalSeconds:0.0} s");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
