namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Every decision of a pool: which calls are admitted, which worker gets which call, which calls are withdrawn, when the pool grows
/// and shrinks, what a worker failure means for its calls, when it is drained. Functions of (table, event, now) that change the table
/// and ask for actions; no clock, no I/O, no allocation. The caller holds the pool's lock and carries out the actions after it has
/// released it. Here: events of callers, owner and time; <see cref="WorkerDecisions"/>: events of workers; <see cref="Rebalance"/>: what
/// follows from either. After each event the caller calls <see cref="Grow"/> while <see cref="PoolTable.Wanted"/> is above 0.
/// </summary>
internal static class PoolDecisions
{
    // ---- events of callers ----

    /// <summary>A call arrives without its arguments. Afterwards the call is <see cref="CallState.Admitted"/>, <see cref="CallState.Waiting"/> or ended.</summary>
    public static void Arrive(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        AdmissionControl.Seek(table, call, now, actions);
        if (call.State == CallState.Waiting)
        {
            // Calls that wait for a place count when workers are started.
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>The arguments of an admitted call are written.</summary>
    public static void Submit(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        if (call.State == CallState.Admitted)
        {
            AdmissionControl.Queue(table, call, now, actions);
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>
    /// A call arrives with its arguments: both of the above in one if there is a place. Afterwards the call is
    /// <see cref="CallState.Sent"/>, <see cref="CallState.Queued"/>, <see cref="CallState.Waiting"/> or ended.
    /// </summary>
    public static void Enter(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        Arrive(table, call, now, actions);
        Submit(table, call, now, actions);
    }

    /// <summary>The caller cancels: its token fired, its deadline passed, or it stopped reading.</summary>
    /// <returns>Whether the cancellation is the call's outcome; <c>false</c> when the call has one already, or ends with its code.</returns>
    public static bool Cancel(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        switch (call.State)
        {
            case CallState.Waiting:
                table.Waiters.Remove(call);
                call.State = CallState.Ended;
                break;

            case CallState.Queued:
                table.Queue.Remove(call);
                AdmissionControl.Release(table, call);
                break;

            case CallState.Admitted:
                AdmissionControl.Release(table, call);
                break;

            case CallState.Lost when !call.EndsWithItsCode:
                // The worker's place is released when it is reaped; no caller gets the cause.
                Dispatch.Take(table, call.Worker!, call);
                AdmissionControl.Release(table, call);
                break;

            case CallState.Sent when !call.IsCancelled:
                Watchdog.Cancelled(table, call.Worker!, call, now);
                actions.Add(PoolActionKind.Cancel, call.Worker, call, call.CallId);
                return !call.EndsWithItsCode;

            default:
                return false;
        }

        Rebalance.Apply(table, now, actions);
        return true;
    }

    // ---- events of time ----

    /// <summary>
    /// Time has passed: graces end, stalls are detected, idle and old workers retire, a pause is over. Before it,
    /// <see cref="WorkerDecisions.Started"/> reports the progress of every worker with shared memory.
    /// </summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        // All due times are determined again.
        table.NextDue = null;
        foreach (var worker in table.Workers)
        {
            Watchdog.Check(table, worker, now, actions);
            StallDetection.Check(table, worker, now, actions);
            MissedWakes.Check(table, worker, now, actions);
        }

        Retirement.Tick(table, now, actions);
        Rebalance.Apply(table, now, actions);
    }

    /// <summary>
    /// The tick that follows comes much later than planned: the host was stalled, or had no thread for it. What workers sent during that
    /// time is not read yet, so no worker is killed because it gave no response: the times of all workers count from now.
    /// </summary>
    public static void Resume(PoolTable table, TimeSpan now) => Watchdog.Resume(table, now);

    /// <summary>When <see cref="Tick"/> may have something to do, or a little before; <c>null</c> when nothing is planned.</summary>
    public static TimeSpan? NextTick(PoolTable table) => table.NextDue;

    // ---- events of the owner ----

    /// <summary>The pool starts: its minimum of workers is wanted.</summary>
    public static void Open(PoolTable table, TimeSpan now, PoolActions actions) => Rebalance.Apply(table, now, actions);

    /// <summary>Starts the workers that the last event wanted, as far as the host has capacity.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="capacity">For how many the pool has reserved capacity; it is released when the worker is reaped.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    /// <returns>How many were started; the rest of the capacity is not used.</returns>
    public static int Grow(PoolTable table, int capacity, TimeSpan now, PoolActions actions) => ScaleOut.Start(table, capacity, now, actions);

    /// <summary>Other pools need the capacity: idle workers above the minimum retire at once, at most this many.</summary>
    public static void Shrink(PoolTable table, int count, TimeSpan now, PoolActions actions)
    {
        for (; count > 0 && Retirement.MayShrink(table); count--)
        {
            Retirement.SendAway(table, table.Idle.Oldest, now, actions, RetirementReason.Capacity);
        }

        Rebalance.Apply(table, now, actions);
    }

    /// <summary>
    /// The minimum, the maximum, the limit of the queue or the idle timeout changed. Workers above a lower maximum get no more calls and
    /// exit; calls that have a place keep it. No worker is replaced.
    /// </summary>
    public static void Resize(PoolTable table, PoolSettings settings, TimeSpan now, PoolActions actions)
    {
        table.Resize(settings);

        // Idle workers may have to exit sooner, or may stay longer.
        table.ScheduleTick(now);
        Rebalance.Apply(table, now, actions);
    }

    /// <summary>The options changed: every worker is replaced by one of the new generation, which is ready first where the maximum has a place for it.</summary>
    public static void Renew(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.Generation = ++table.LastGeneration;
        foreach (var worker in table.Workers)
        {
            if (worker.State == WorkerState.Starting)
            {
                WorkerFailure.Kill(table, worker, KillReason.NotNeeded, now, actions);
            }
            else
            {
                Retirement.MarkDue(table, worker, RetirementReason.Generation);
            }
        }

        Rebalance.Apply(table, now, actions);
    }

    /// <summary>From now on calls wait and are not given to workers, or are given to them again. A pool that drains is not paused.</summary>
    public static void Pause(PoolTable table, bool isPaused, TimeSpan now, PoolActions actions)
    {
        table.IsPaused = isPaused && !table.IsDraining;
        Rebalance.Apply(table, now, actions);
    }

    /// <summary>A worker is replaced by another one, which is ready first where the maximum has a place for it.</summary>
    /// <returns><c>false</c> where it serves no calls, or is to be replaced already.</returns>
    public static bool Replace(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker is not { Due: RetirementReason.None, State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent })
        {
            return false;
        }

        Retirement.MarkDue(table, worker, RetirementReason.Asked);
        Rebalance.Apply(table, now, actions);
        return true;
    }

    /// <summary>A worker is killed: the calls that it runs are lost.</summary>
    /// <returns><c>false</c> where it is gone, or was killed before.</returns>
    public static bool Kill(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker is not { Killed: KillReason.None, State: not (WorkerState.Absent or WorkerState.Exiting) })
        {
            return false;
        }

        WorkerFailure.Kill(table, worker, KillReason.Asked, now, actions);
        Rebalance.Apply(table, now, actions);
        return true;
    }

    /// <summary>No more calls are admitted; earlier calls are completed, then the workers exit.</summary>
    public static void Drain(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        table.IsPaused = false;
        Rebalance.Apply(table, now, actions);
    }

    /// <summary>Everything ends now: waiting calls are rejected, and all workers are killed.</summary>
    public static void Abort(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        table.IsPaused = false;
        table.IsAborted = true;
        AdmissionControl.EndAllWaiting(table, PoolActionKind.RejectDraining, actions);
        foreach (var worker in table.Workers)
        {
            if (worker.State is not (WorkerState.Absent or WorkerState.Exiting))
            {
                WorkerFailure.Kill(table, worker, KillReason.Stopping, now, actions);
            }
        }

        Rebalance.Apply(table, now, actions);
    }
}
