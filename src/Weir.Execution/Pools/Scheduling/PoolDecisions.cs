namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Every decision of a pool: who is admitted, which worker gets which call, what is taken back from it, when the pool grows and
/// shrinks, what a death means for whom, when it is drained. Functions of (table, event, now) that change the table and ask for
/// actions; no clock, no I/O, no allocation. The caller holds the pool's lock and carries the actions out after it has let go.
/// Here: what callers, owner and time bring; <see cref="WorkerDecisions"/>: what workers bring; <see cref="Rebalance"/>: what
/// follows from either. After each of them the caller brings <see cref="Grow"/> while <see cref="PoolTable.Wanted"/> is above 0.
/// </summary>
internal static class PoolDecisions
{
    // ---- what callers bring ----

    /// <summary>A caller comes without its arguments. Afterwards the call is <see cref="CallState.Admitted"/>, <see cref="CallState.Waiting"/> or ended.</summary>
    public static void Arrive(PoolTable table, CallEntry call, bool waits, TimeSpan now, PoolActions actions) =>
        Admission.Seek(table, call, waits, now, actions);

    /// <summary>The arguments of an admitted call are written.</summary>
    public static void Submit(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        if (call.State == CallState.Admitted)
        {
            Admission.Queue(table, call, now, actions);
            Rebalance.Settle(table, now, actions);
        }
    }

    /// <summary>
    /// A caller comes with its arguments: both of the above in one where there is a place. Afterwards the call is
    /// <see cref="CallState.Sent"/>, <see cref="CallState.Queued"/>, <see cref="CallState.Waiting"/> or ended.
    /// </summary>
    public static void Enter(PoolTable table, CallEntry call, bool waits, TimeSpan now, PoolActions actions)
    {
        Admission.Seek(table, call, waits, now, actions);
        Submit(table, call, now, actions);
    }

    /// <summary>The caller leaves: its token fired, its deadline passed, it stopped reading.</summary>
    /// <returns>Whether the caller's leaving is the call's ending; <c>false</c> when the call has one already.</returns>
    public static bool Leave(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        switch (call.State)
        {
            case CallState.Waiting:
                table.Waiters.Remove(call);
                call.State = CallState.Ended;
                break;

            case CallState.Queued:
                table.Queue.Remove(call);
                Admission.Release(table, call);
                break;

            case CallState.Admitted:
                Admission.Release(table, call);
                break;

            case CallState.Lost:
                // The worker's place is released when it is reaped; nobody hears the cause.
                Dispatch.Take(table, call.Worker!, call);
                Admission.Release(table, call);
                break;

            case CallState.Sent when !call.CallerGone:
                Watchdog.Left(table, call.Worker!, call, now);
                actions.Add(PoolActionKind.Cancel, call.Worker, call, call.CallId);
                return true;

            default:
                return false;
        }

        Rebalance.Settle(table, now, actions);
        return true;
    }

    // ---- what time brings ----

    /// <summary>
    /// Time has passed: graces end, what takes too long is noticed, idle and old workers go, a pause is over. Before it the
    /// progress of every worker with a page is brought by <see cref="WorkerDecisions.Started"/>.
    /// </summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        // All that is foreseen is found anew.
        table.NextDue = null;
        foreach (var worker in table.Workers)
        {
            Watchdog.Look(table, worker, now, actions);
            StallDetection.Look(table, worker, now, actions);
            MissedWakes.Look(table, worker, now, actions);
        }

        Retirement.Tick(table, now, actions);
        Rebalance.Settle(table, now, actions);
    }

    /// <summary>
    /// The tick that follows comes much later than it was foreseen: the host stood still, or had no thread for it. What workers said
    /// meanwhile is not read yet, so nobody is killed for his silence: the times of all workers count from now.
    /// </summary>
    public static void Resume(PoolTable table, TimeSpan now) => Watchdog.Resume(table, now);

    /// <summary>When <see cref="Tick"/> may have something to do, or a little before; <c>null</c> when nothing is foreseen.</summary>
    public static TimeSpan? NextTick(PoolTable table) => table.NextDue;

    // ---- what the owner brings ----

    /// <summary>The pool begins: the minimum is wanted.</summary>
    public static void Open(PoolTable table, TimeSpan now, PoolActions actions) => Rebalance.Settle(table, now, actions);

    /// <summary>Starts the workers that the last event wanted, as far as the host has capacity.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="capacity">For how many the pool has reserved capacity; it is released when the worker is reaped.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    /// <returns>How many were started; the rest of the capacity is not used.</returns>
    public static int Grow(PoolTable table, int capacity, TimeSpan now, PoolActions actions) => ScaleOut.Start(table, capacity, now, actions);

    /// <summary>Other pools need the capacity: idle workers above the minimum go at once, at most so many.</summary>
    public static void Shrink(PoolTable table, int count, TimeSpan now, PoolActions actions)
    {
        for (; count > 0 && Retirement.MayShrink(table); count--)
        {
            Retirement.SendAway(table, table.Idle.Oldest, now, actions);
        }

        Rebalance.Settle(table, now, actions);
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
                Retirement.MarkDue(table, worker, DueReason.Generation);
            }
        }

        Rebalance.Settle(table, now, actions);
    }

    /// <summary>Nobody is admitted any more; whoever came before is served, then the workers leave.</summary>
    public static void Drain(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        Rebalance.Settle(table, now, actions);
    }

    /// <summary>Everything ends now: who waits is rejected, what runs is killed.</summary>
    public static void Abort(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        table.IsAborted = true;
        Admission.EndAllWaiting(table, PoolActionKind.RejectDraining, actions);
        foreach (var worker in table.Workers)
        {
            if (worker.State is not (WorkerState.Absent or WorkerState.Ending))
            {
                WorkerFailure.Kill(table, worker, KillReason.Stopping, now, actions);
            }
        }

        Rebalance.Settle(table, now, actions);
    }
}
