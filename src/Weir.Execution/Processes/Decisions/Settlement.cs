namespace Weir.Execution.Processes;

/// <summary>
/// What follows from every event: places to those who wait, calls to workers, workers for calls, the end of a draining pool.
/// The rules of <see cref="PoolDecisions"/> hold. The queue is bounded by the places of <see cref="PoolSettings"/>.
/// </summary>
internal static class Settlement
{
    /// <summary>What a worker without a call gets to dispose its services and leave, however short the grace of calls is.</summary>
    public static readonly TimeSpan LeastTimeToLeave = TimeSpan.FromSeconds(2);

    public static void Settle(PoolTable table, TimeSpan now, PoolActions actions)
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
                Kill(worker, KillReason.NotNeeded, actions);
            }
        }

        if (table.Occupied == 0 && !table.IsDrained)
        {
            table.IsDrained = true;
            actions.Add(PoolActionKind.Drained);
        }
    }

    public static void Pump(PoolTable table, TimeSpan now, PoolActions actions)
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

        // The places are the maximum: what starts, serves, leaves or is not reaped yet has one.
        var starts = Math.Min(wanted, atOnce - table.Starting);
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
    public static int Wanted(PoolTable table)
    {
        var minimum = table.IsDraining ? 0 : table.Settings.MinWorkers;
        return Math.Max(table.Queue.Count - table.Starting, minimum - table.Live - table.Starting);
    }

    public static bool CannotServe(PoolTable table, TimeSpan now) =>
        table.Live == 0 && table.Starting == 0 && table.Restarts.IsClosed(now);

    public static bool MayShrink(PoolTable table) =>
        table.IdleCount > 0 && !table.IsDraining && table.Settings.IdleTimeout is not null && table.Live + table.Starting > table.Settings.MinWorkers;

    public static void MakeIdle(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.State = WorkerState.Idle;
        worker.IdleSince = now;
        worker.KillAt = null;
        table.PushIdle(worker);
    }

    public static void Retire(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        table.RemoveIdle(worker);
        worker.State = WorkerState.Retiring;
        worker.KillAt = now + (table.Settings.CancelGrace > LeastTimeToLeave ? table.Settings.CancelGrace : LeastTimeToLeave);
        actions.Add(PoolActionKind.Retire, worker);
    }

    public static void Kill(WorkerEntry worker, KillReason reason, PoolActions actions)
    {
        worker.KillAt = null;
        if (worker.Killed == KillReason.None)
        {
            worker.Killed = reason;
            actions.Add(PoolActionKind.Kill, worker);
        }
    }

    public static void FailWaiting(PoolTable table, PoolActions actions)
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

    public static void RejectWaiting(PoolTable table, PoolActions actions)
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
    public static void Release(PoolTable table, CallEntry call)
    {
        table.InPool--;
        call.State = CallState.Ended;
        call.Worker = null;
    }

    public static void End(CallEntry call, PoolActionKind how, PoolActions actions)
    {
        call.State = CallState.Ended;
        actions.Add(how, call: call);
    }
}
