namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Frames that stay in the shared memory of a worker because the side that takes them sleeps: the user's code may have overwritten the words
/// by which host and worker see that the other sleeps. While a worker has calls, the host checks for such frames once a second; a PING wakes
/// both sides, whatever these words contain.
/// </summary>
internal static class MissedWakes
{
    /// <summary>How often the host checks for them.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    /// <summary>The worker was given a call: when to check next, at the latest.</summary>
    public static void ScheduleTick(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker is { HasSharedMemory: true, State: WorkerState.Busy or WorkerState.Finishing, Sent.Count: > 0 })
        {
            table.ScheduleTick(now + Interval);
        }
    }

    /// <summary>Checks one worker, whose <see cref="WorkerEntry.MissedWake"/> is up to date.</summary>
    public static void Check(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        ScheduleTick(table, worker, now);
        if (worker is { MissedWake: true, State: WorkerState.Busy or WorkerState.Finishing, Sent.Count: > 0 } && now >= worker.NoWakeBefore)
        {
            // A busy worker has frames it has not taken at most moments: so it is not sent a PING at each of them.
            worker.NoWakeBefore = now + Interval;
            StallDetection.Ping(table, worker, now, actions);
        }
    }
}
