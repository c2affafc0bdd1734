namespace Weir.Execution.Processes;

/// <summary>
/// Every decision of a pool: who is admitted, which worker gets which call, when the pool grows and shrinks, what a death
/// means for whom, when it is drained. Functions of (table, event, now) that change the table and ask for actions; no clock,
/// no I/O, no allocation. The caller holds the pool's lock and carries the actions out after it has let go.
/// </summary>
internal static class PoolDecisions
{
    /// <summary>A call that this many workers did not survive even to its STARTED is ended as if it had run.</summary>
    public const int MostMoves = 3;

    /// <summary>The pool begins: the minimum is started.</summary>
    public static void Open(PoolTable table, TimeSpan now, PoolActions actions) => Pump(table, now, actions);

    /// <summary>A caller comes. Afterwards the call is <see cref="CallState.Admitted"/>, <see cref="CallState.Waiting"/> or ended.</summary>
    public static void Arrive(PoolTable table, CallEntry call, bool waits, TimeSpan now, PoolActions actions)
    {
        if (table.IsDraining)
        {
            End(call, PoolActionKind.RejectDraining, actions);
        }
        else if (CannotServe(table, now))
        {
            End(call, PoolActionKind.FailStart, actions);
        }
        else if (table.Waiters.Count == 0 && table.InPool < table.Settings.Places)
        {
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
            End(call, PoolActionKind.RejectFull, actions);
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
            Release(table, call);
            End(call, PoolActionKind.RejectDraining, actions);
        }
        else
        {
            call.State = CallState.Queued;
            table.Queue.AddLast(call);
        }

        Settle(table, now, actions);
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
                Release(table, call);
                break;

            case CallState.Admitted:
                Release(table, call);
                break;

            case CallState.Lost:
                // The worker's slot is released when it is reaped; nobody hears the cause.
                call.Worker!.Current = null;
                Release(table, call);
                break;

            case CallState.Sent or CallState.Started when !call.CallerGone:
                call.CallerGone = true;
                call.Worker!.KillAt = now + table.Settings.CancelGrace;
                actions.Add(PoolActionKind.Cancel, call.Worker, call);
                return true;

            default:
                return false;
        }

        Settle(table, now, actions);
        return true;
    }

    /// <summary>A worker takes calls.</summary>
    public static void Ready(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        table.Starting--;
        MakeIdle(table, worker, now);
        Settle(table, now, actions);
    }

    /// <summary>A worker did not become ready. <see cref="Reaped"/> follows.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="isDefinite">It said why, or said nothing for too long: the next one will do the same. Otherwise it died, and the next one may not.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    public static void StartFailed(PoolTable table, WorkerEntry worker, bool isDefinite, TimeSpan now, PoolActions actions)
    {
        table.Starting--;
        worker.State = WorkerState.Ending;
        if (!table.IsAborted)
        {
            table.Restarts.Strike(now);
        }

        if (isDefinite && table.Live == 0 && table.Starting == 0)
        {
            // Who waits now would wait for the same again; who comes later tries anew, within the budget.
            FailWaiting(table, actions);
        }

        Settle(table, now, actions);
    }

    /// <summary>The worker runs the code of its call from now on.</summary>
    public static void Started(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        var call = worker.Current!;
        call.State = CallState.Started;
        worker.HasStarted = true;
        if (call.CallerGone)
        {
            // The grace is for code that runs.
            worker.KillAt = now + table.Settings.CancelGrace;
        }

        var wasPaused = table.Restarts.IsProbing;
        table.Restarts.Forgive();
        if (wasPaused)
        {
            Settle(table, now, actions);
        }
    }

    /// <summary>The worker answered its call; the slot is free.</summary>
    /// <returns>Whether the answer is the call's ending; <c>false</c> when its caller has gone.</returns>
    public static bool Answered(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        var call = worker.Current!;
        var delivers = !call.CallerGone;
        worker.Current = null;
        worker.CallsDone++;
        worker.KillAt = null;
        Release(table, call);
        if (worker.State == WorkerState.Busy)
        {
            table.Busy--;
            MakeIdle(table, worker, now);
        }

        Settle(table, now, actions);
        return delivers;
    }

    /// <summary>
    /// The data channel of a worker that was ready has ended, and everything it sent has been read. A call that had started is
    /// lost; one that had not moves on unseen. <see cref="Reaped"/> follows.
    /// </summary>
    public static void ChannelEnded(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        Die(table, worker, now);
        if (worker.Current is { State: CallState.Started } call)
        {
            if (call.CallerGone)
            {
                worker.Current = null;
                Release(table, call);
            }
            else
            {
                call.State = CallState.Lost;
            }
        }
        else
        {
            MoveOn(table, worker, actions);
        }

        Settle(table, now, actions);
    }

    /// <summary>A worker that was ready broke the protocol: its call has its ending at once, the worker is killed. <see cref="Reaped"/> follows.</summary>
    public static void Violated(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        Die(table, worker, now);
        Kill(worker, actions);
        if (worker.Current is { State: CallState.Started } call)
        {
            worker.Current = null;
            var tells = !call.CallerGone;
            Release(table, call);
            if (tells)
            {
                End(call, PoolActionKind.FailViolation, actions);
            }
        }
        else
        {
            MoveOn(table, worker, actions);
        }

        Settle(table, now, actions);
    }

    /// <summary>The process is gone and reaped; its place is free.</summary>
    public static void Reaped(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.Current is { } call)
        {
            worker.Current = null;
            Release(table, call);
            actions.Add(PoolActionKind.FailLost, worker, call);
        }

        worker.Clear();
        table.Occupied--;
        Settle(table, now, actions);
    }

    /// <summary>Time has passed: graces end, idle workers go, a pause is over.</summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            if (worker.KillAt <= now)
            {
                Kill(worker, actions);
            }
        }

        while (MayShrink(table) && table.OldestIdle.IdleSince + table.Settings.IdleTimeout <= now)
        {
            Retire(table, table.OldestIdle, now, actions);
        }

        Settle(table, now, actions);
    }

    /// <summary>When <see cref="Tick"/> has something to do; <c>null</c> when nothing is foreseen.</summary>
    public static TimeSpan? NextTick(PoolTable table, TimeSpan now)
    {
        TimeSpan? next = MayShrink(table) ? table.OldestIdle.IdleSince + table.Settings.IdleTimeout : null;
        foreach (var worker in table.Workers)
        {
            if (worker.KillAt is { } at && (next is null || at < next))
            {
                next = at;
            }
        }

        // A pause matters only to a pool that is short of workers.
        if (table.Restarts.ClosedUntil is var open && open > now && Wanted(table) > 0 && (next is null || open < next))
        {
            next = open;
        }

        return next;
    }

    /// <summary>Nobody is admitted any more; whoever came before is served, then the workers leave.</summary>
    public static void Drain(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        Settle(table, now, actions);
    }

    /// <summary>Everything ends now: who waits is rejected, what runs is killed.</summary>
    public static void Abort(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.IsDraining = true;
        table.IsAborted = true;
        RejectWaiting(table, actions);
        foreach (var worker in table.Workers)
        {
            if (worker.State != WorkerState.Absent)
            {
                Kill(worker, actions);
            }
        }

        Settle(table, now, actions);
    }

    // ---- what every event ends with ----

    private static void Settle(PoolTable table, TimeSpan now, PoolActions actions)
    {
        // 1. Places that became free belong to those who waited first.
        while (table.Waiters.Count > 0 && table.InPool < table.Settings.Places)
        {
            var call = table.Waiters.RemoveFirst();
            call.State = CallState.Admitted;
            table.InPool++;
            actions.Add(PoolActionKind.Admit, call: call);
        }

        // 2. Calls to workers, and workers for calls.
        Pump(table, now, actions);

        // 3. A draining pool without calls lets its workers go.
        if (!table.IsDraining || table.InPool > 0 || table.Waiters.Count > 0)
        {
            return;
        }

        while (table.IdleCount > 0)
        {
            Retire(table, table.OldestIdle, now, actions);
        }

        foreach (var worker in table.Workers)
        {
            if (worker.State == WorkerState.Starting)
            {
                // It has heard nothing but HELLO: nothing is lost.
                Kill(worker, actions);
            }
        }

        if (table.Occupied == 0 && !table.IsDrained)
        {
            table.IsDrained = true;
            actions.Add(PoolActionKind.Drained);
        }
    }

    private static void Pump(PoolTable table, TimeSpan now, PoolActions actions)
    {
        while (table.Queue.Count > 0 && table.IdleCount > 0)
        {
            var worker = table.PopIdle();
            var call = table.Queue.RemoveFirst();
            worker.State = WorkerState.Busy;
            worker.Current = call;
            call.State = CallState.Sent;
            call.Worker = worker;
            call.CallId = ++worker.LastCallId;
            table.Busy++;
            actions.Add(PoolActionKind.Dispatch, worker, call);
        }

        Grow(table, now, actions);
    }

    private static void Grow(PoolTable table, TimeSpan now, PoolActions actions)
    {
        var wanted = Wanted(table);
        if (wanted <= 0)
        {
            return;
        }

        if (table.Restarts.IsClosed(now))
        {
            if (CannotServe(table, now))
            {
                FailWaiting(table, actions);
            }

            return;
        }

        var atOnce = table.Restarts.IsProbing ? 1 : table.Settings.MostStarting;
        var starts = Math.Min(wanted, Math.Min(table.Settings.MaxWorkers - table.Occupied, atOnce - table.Starting));
        for (var i = 0; i < table.Workers.Length && starts > 0; i++)
        {
            var worker = table.Workers[i];
            if (worker.State == WorkerState.Absent)
            {
                worker.State = WorkerState.Starting;
                table.Starting++;
                table.Occupied++;
                starts--;
                actions.Add(PoolActionKind.Spawn, worker);
            }
        }
    }

    // One worker per waiting call that no starting worker will take, and the minimum.
    private static int Wanted(PoolTable table)
    {
        var minimum = table.IsDraining ? 0 : table.Settings.MinWorkers;
        return Math.Max(table.Queue.Count - table.Starting, minimum - table.Live - table.Starting);
    }

    private static bool CannotServe(PoolTable table, TimeSpan now) =>
        table.Live == 0 && table.Starting == 0 && table.Restarts.IsClosed(now);

    private static bool MayShrink(PoolTable table) =>
        table.IdleCount > 0 && !table.IsDraining && table.Settings.IdleTimeout is not null && table.Live + table.Starting > table.Settings.MinWorkers;

    private static void MakeIdle(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.State = WorkerState.Idle;
        worker.IdleSince = now;
        worker.KillAt = null;
        table.PushIdle(worker);
    }

    private static void Retire(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        table.RemoveIdle(worker);
        worker.State = WorkerState.Retiring;
        worker.KillAt = now + table.Settings.CancelGrace;
        actions.Add(PoolActionKind.Retire, worker);
    }

    private static void Kill(WorkerEntry worker, PoolActions actions)
    {
        worker.KillAt = null;
        if (!worker.IsKilled)
        {
            worker.IsKilled = true;
            actions.Add(PoolActionKind.Kill, worker);
        }
    }

    private static void Die(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker.State == WorkerState.Idle)
        {
            table.RemoveIdle(worker);
        }
        else if (worker.State == WorkerState.Busy)
        {
            table.Busy--;
        }

        if (worker.State != WorkerState.Retiring && !worker.HasStarted && !table.IsAborted)
        {
            table.Restarts.Strike(now);
        }

        worker.State = WorkerState.Ending;
        worker.KillAt = null;
    }

    // The call its worker never started: to another one, before all others.
    private static void MoveOn(PoolTable table, WorkerEntry worker, PoolActions actions)
    {
        if (worker.Current is not { State: CallState.Sent } call)
        {
            return;
        }

        if (call.CallerGone)
        {
            worker.Current = null;
            Release(table, call);
        }
        else if (table.IsAborted)
        {
            worker.Current = null;
            Release(table, call);
            End(call, PoolActionKind.RejectDraining, actions);
        }
        else if (++call.Moves >= MostMoves)
        {
            // Its cause is known when the worker is reaped.
            call.State = CallState.Lost;
        }
        else
        {
            worker.Current = null;
            call.Worker = null;
            call.CallId = 0;
            call.State = CallState.Queued;
            table.Queue.AddFirst(call);
        }
    }

    private static void FailWaiting(PoolTable table, PoolActions actions)
    {
        while (table.Queue.Count > 0)
        {
            var call = table.Queue.RemoveFirst();
            Release(table, call);
            End(call, PoolActionKind.FailStart, actions);
        }

        while (table.Waiters.Count > 0)
        {
            End(table.Waiters.RemoveFirst(), PoolActionKind.FailStart, actions);
        }
    }

    private static void RejectWaiting(PoolTable table, PoolActions actions)
    {
        while (table.Queue.Count > 0)
        {
            var call = table.Queue.RemoveFirst();
            Release(table, call);
            End(call, PoolActionKind.RejectDraining, actions);
        }

        while (table.Waiters.Count > 0)
        {
            End(table.Waiters.RemoveFirst(), PoolActionKind.RejectDraining, actions);
        }
    }

    // The call has no place any more.
    private static void Release(PoolTable table, CallEntry call)
    {
        table.InPool--;
        call.State = CallState.Ended;
        call.Worker = null;
    }

    private static void End(CallEntry call, PoolActionKind how, PoolActions actions)
    {
        call.State = CallState.Ended;
        actions.Add(how, call: call);
    }
}
