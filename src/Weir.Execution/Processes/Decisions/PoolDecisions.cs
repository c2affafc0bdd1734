namespace Weir.Execution.Processes;

/// <summary>
/// Every decision of a pool: who is admitted, which worker gets which call, when the pool grows and shrinks, what a death
/// means for whom, when it is drained. Functions of (table, event, now) that change the table and ask for actions; no clock,
/// no I/O, no allocation. The caller holds the pool's lock and carries the actions out after it has let go. Here: what callers
/// and time bring; <see cref="WorkerDecisions"/>: what workers bring; <see cref="Settlement"/>: what follows from either. The queue is bounded by the places of <see cref="PoolSettings"/>.
/// </summary>
internal static class PoolDecisions
{
    /// <summary>The pool begins: the minimum is started.</summary>
    public static void Open(PoolTable table, TimeSpan now, PoolActions actions) => Settlement.Pump(table, now, actions);

    /// <summary>A caller comes. Afterwards the call is <see cref="CallState.Admitted"/>, <see cref="CallState.Waiting"/> or ended.</summary>
    public static void Arrive(PoolTable table, CallEntry call, bool waits, TimeSpan now, PoolActions actions)
    {
        if (table.IsDraining)
        {
            Settlement.End(call, PoolActionKind.RejectDraining, actions);
        }
        else if (Settlement.CannotServe(table, now))
        {
            Settlement.End(call, PoolActionKind.FailStart, actions);
        }
        else if (table.InPool < table.Settings.Places)
        {
            // Nobody is overtaken: while somebody waits there is no place, every event sees to that.
            call.State = CallState.Admitted;
            table.InPool++;
        }
        else if (waits)
        {
            call.State = CallState.Waiting;
            table.Waiters.AddLast(call);
        }
        else
        {
            Settlement.End(call, PoolActionKind.RejectFull, actions);
        }
    }

    /// <summary>The arguments of an admitted call are written.</summary>
    public static void Submit(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        if (call.State != CallState.Admitted)
        {
            return;
        }

        if (table.IsAborted)
        {
            Settlement.Release(table, call);
            Settlement.End(call, PoolActionKind.RejectDraining, actions);
        }
        else
        {
            call.State = CallState.Queued;
            table.Queue.AddLast(call);
        }

        Settlement.Settle(table, now, actions);
    }

    /// <summary>
    /// The caller leaves: its token fired, its deadline passed, it stopped reading.
    /// </summary>
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
                Settlement.Release(table, call);
                break;

            case CallState.Admitted:
                Settlement.Release(table, call);
                break;

            case CallState.Lost:
                // The worker's slot is released when it is reaped; nobody hears the cause.
                call.Worker!.Current = null;
                Settlement.Release(table, call);
                break;

            case CallState.Sent or CallState.Started when !call.CallerGone:
                call.CallerGone = true;
                call.Worker!.KillAt = now + table.Settings.CancelGrace;
                actions.Add(PoolActionKind.Cancel, call.Worker, call);
                return true;

            default:
                return false;
        }

        Settlement.Settle(table, now, actions);
        return true;
    }

    /// <summary>Time has passed: graces end, idle workers go, a pause is over.</summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            if (worker.KillAt <= now)
            {
                Settlement.Kill(worker, worker.State == WorkerState.Retiring ? KillReason.DidNotLeave : KillReason.IgnoredCancel, actions);
            }
        }

        while (Settlement.MayShrink(table) && table.OldestIdle.IdleSince + table.Settings.IdleTimeout <= now)
        {
            Settlement.Retire(table, table.OldestIdle, now, actions);
        }

        Settlement.Settle(table, now, actions);
    }

    /// <summary>When <see cref="Tick"/> has something to do; <c>null</c> when nothing is foreseen.</summary>
    public static TimeSpan? NextTick(PoolTable table, TimeSpan now)
    {
        TimeSpan? next = Settlement.MayShrink(table) ? table.OldestIdle.IdleSince + table.Settings.IdleTimeout : null;
        foreach (var worker in table.Workers)
        {
            if (worker.KillAt is { } at && (next is null || at < next))
            {
                next = at;
            }
        }

        // A pause matters only to a pool that is short of workers.
        if (table.Restarts.ClosedUntil is var open && open > now && Settlement.Wanted(table) > 0 && (next is null || open < next))
        {
            next = open;
        }

        return next;
    }

    /// <summary>Nobody is admitted any more; whoever came before is served, then the workers leave.</summary>
    public static void Drain(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        Settlement.Settle(table, now, actions);
    }

    /// <summary>Everything ends now: who waits is rejected, what runs is killed.</summary>
    public static void Abort(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        table.IsAborted = true;
        Settlement.RejectWaiting(table, actions);
        foreach (var worker in table.Workers)
        {
            if (worker.State != WorkerState.Absent)
            {
                Settlement.Kill(worker, KillReason.Stopping, actions);
            }
        }

        Settlement.Settle(table, now, actions);
    }
}
