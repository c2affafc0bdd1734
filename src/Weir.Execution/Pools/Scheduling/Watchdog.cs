namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// When the host kills a worker: its cancelled call still runs after the grace; it was asked to exit and did not; it runs nothing
/// although it should, and leaves a PING unanswered. A call that only runs long is no reason.
/// </summary>
internal static class Watchdog
{
    /// <summary>How often in succession the times of workers begin again. A host that stands still again and again would otherwise never free a worker whose code hangs.</summary>
    public const int MostResumptions = 20;

    /// <summary>How long a host that stood still kills no worker at all: it first reads what its workers have sent.</summary>
    public static readonly TimeSpan CatchUpTime = TimeSpan.FromMilliseconds(500);

    /// <summary>A call that is with a worker was cancelled: its grace begins now if the call runs, and otherwise when it starts.</summary>
    public static void Cancelled(PoolTable table, WorkerEntry worker, CallEntry call, TimeSpan now)
    {
        call.IsCancelled = true;
        call.CancelledAt = now;
        worker.CancelledCalls++;
        if (call.HasStarted)
        {
            call.GraceFrom = now;
            table.ScheduleTick(now + table.Settings.CancelGrace);
        }
        else
        {
            table.ScheduleTick(LookAgain(table, now));
        }
    }

    /// <summary>The worker has started more calls: the graces of those that were cancelled begin.</summary>
    public static void Started(PoolTable table, WorkerEntry worker)
    {
        if (worker.CancelledCalls == 0)
        {
            return;
        }

        for (var call = worker.Sent.First; call is not null && call.CallId <= worker.StartedThrough; call = call.Next)
        {
            if (call is { IsCancelled: true, GraceFrom: null })
            {
                call.GraceFrom = call.CancelledAt > worker.StartedAt ? call.CancelledAt : worker.StartedAt;
                table.ScheduleTick(call.GraceFrom.Value + table.Settings.CancelGrace);
            }
        }
    }

    /// <summary>The worker answered: if it does not run the next of its calls, a PING that it has not answered counts from now.</summary>
    public static void Answered(PoolTable table, WorkerEntry worker)
    {
        if (worker is { PingedAt: not null, Sent.Count: > 0 } && table.Settings.StallTimeout is { } timeout)
        {
            table.ScheduleTick(worker.TurnSince + timeout);
        }
    }

    /// <summary>Checks one worker after time has passed.</summary>
    public static void Check(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.Killed != KillReason.None || worker.State is WorkerState.Absent or WorkerState.Starting or WorkerState.Exiting)
        {
            return;
        }

        if (worker.KillAt is { } leaving && Passed(table, Later(leaving, table.ResumedAt + Retirement.TimeToExit(table)), now))
        {
            WorkerFailure.Kill(table, worker, KillReason.DidNotExit, now, actions);
        }
        else if (IgnoresCancel(table, worker, now))
        {
            WorkerFailure.Kill(table, worker, KillReason.IgnoredCancel, now, actions);
        }
        else if (IsStalled(table, worker, now))
        {
            WorkerFailure.Kill(table, worker, KillReason.Stalled, now, actions);
        }
    }

    /// <summary>
    /// The host stood still: it was suspended, or its machine was. It has read nothing, and its workers may have stood still with it. The times of
    /// everything that was running begin again, <see cref="MostResumptions"/> times in succession; and no worker is killed until the host has
    /// run for <see cref="CatchUpTime"/>, however often it stood still.
    /// </summary>
    public static void Resume(PoolTable table, TimeSpan now)
    {
        var longest = Later(Later(Retirement.TimeToExit(table), table.Settings.CancelGrace), 2 * table.Settings.StallTimeout);
        var isNext = now - table.StoodStillAt <= 2 * longest;
        table.Resumptions = isNext ? table.Resumptions + 1 : 1;
        table.StoodStillAt = now;
        if (table.Resumptions <= MostResumptions)
        {
            table.ResumedAt = now;
        }
    }

    private static bool IgnoresCancel(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker.CancelledCalls == 0)
        {
            return false;
        }

        // A worker that runs one call at a time has finished all calls before the last it started: their answers are on the way.
        var from = table.Settings.Concurrency == 1 ? worker.StartedThrough : 0;
        for (var call = worker.Sent.First; call is not null && call.CallId <= worker.StartedThrough; call = call.Next)
        {
            if (call.CallId >= from && call.GraceFrom is { } since && Passed(table, table.CountedFrom(since) + table.Settings.CancelGrace, now))
            {
                return true;
            }
        }

        // A start that only the shared memory shows must be checked for.
        if (worker.HasSharedMemory && worker.Sent.Last is { } last && last.CallId > worker.StartedThrough)
        {
            table.ScheduleTick(LookAgain(table, now));
        }

        return false;
    }

    private static TimeSpan LookAgain(PoolTable table, TimeSpan now) =>
        now + (table.Settings.CancelGrace > Dispatch.StartPatience ? table.Settings.CancelGrace : Dispatch.StartPatience);

    private static bool IsStalled(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        var first = worker.Sent.First;
        var runsNothing = first is null ? worker.State == WorkerState.Silent : first.CallId > worker.StartedThrough;
        if (!runsNothing || table.Settings.StallTimeout is not { } timeout)
        {
            return false;
        }

        if (worker.PingedAt is { } pinged)
        {
            return Passed(table, table.CountedFrom(Later(pinged, worker.TurnSince)) + timeout, now);
        }

        // An answer to the PING is not yet a start: a worker that only answers PINGs has twice the time.
        return worker.IsStalled && first is not null
            && Passed(table, table.CountedFrom(Later(first.SentAt, worker.TurnSince)) + (2 * timeout), now);
    }

    private static TimeSpan Later(TimeSpan one, TimeSpan? other) => one < other ? other.Value : one;

    private static bool Passed(PoolTable table, TimeSpan at, TimeSpan now)
    {
        at = Later(at, table.StoodStillAt + CatchUpTime);
        if (at <= now)
        {
            return true;
        }

        table.ScheduleTick(at);
        return false;
    }
}
