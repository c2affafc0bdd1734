namespace Weir.Execution.Processes;

/// <summary>What a worker's news mean for its call and for the pool. The rules of <see cref="PoolDecisions"/> hold. The queue is bounded by the places of <see cref="PoolSettings"/>.</summary>
internal static class WorkerDecisions
{
    /// <summary>A call that this many workers did not survive even to its STARTED is ended as if it had run.</summary>
    public const int MostMoves = 3;

    /// <summary>A worker takes calls.</summary>
    /// <returns><c>false</c> when it was given up before, or can never hear a call.</returns>
    public static bool Ready(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker is not { State: WorkerState.Starting, IsMute: false, Killed: KillReason.None })
        {
            return false;
        }

        table.Starting--;
        Settlement.MakeIdle(table, worker, now);
        Settlement.Settle(table, now, actions);
        return true;
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
            Settlement.FailWaiting(table, actions);
        }

        Settlement.Settle(table, now, actions);
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
            Settlement.Settle(table, now, actions);
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
        Settlement.Release(table, call);
        if (worker.State == WorkerState.Busy)
        {
            table.Busy--;
            if (worker.Killed == KillReason.None)
            {
                Settlement.MakeIdle(table, worker, now);
            }
            else
            {
                // The answer overtook the signal: whoever came next would die of it.
                worker.State = WorkerState.Retiring;
            }
        }

        Settlement.Settle(table, now, actions);
        return delivers;
    }

    /// <summary>
    /// The data channel of a worker has ended, and everything it sent has been read. A call that had started is lost; one that
    /// had not moves on unseen. <see cref="Reaped"/> follows, after <see cref="StartFailed"/> for a worker that was not ready.
    /// </summary>
    public static void ChannelEnded(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.State == WorkerState.Starting)
        {
            worker.IsMute = true;
            return;
        }

        Die(table, worker, now);
        if (worker.Current is { State: CallState.Started } call)
        {
            if (call.CallerGone)
            {
                worker.Current = null;
                Settlement.Release(table, call);
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

        Settlement.Settle(table, now, actions);
    }

    /// <summary>
    /// A worker broke the protocol: its call has its ending at once, the worker is killed. <see cref="Reaped"/> follows. One that
    /// was not ready only fails its start.
    /// </summary>
    public static void Violated(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.State == WorkerState.Starting)
        {
            worker.IsMute = true;
            return;
        }

        Die(table, worker, now);
        Settlement.Kill(worker, KillReason.BrokeProtocol, actions);
        if (worker.Current is { State: CallState.Started } call)
        {
            worker.Current = null;
            var tells = !call.CallerGone;
            Settlement.Release(table, call);
            if (tells)
            {
                Settlement.End(call, PoolActionKind.FailViolation, actions);
            }
        }
        else
        {
            MoveOn(table, worker, actions);
        }

        Settlement.Settle(table, now, actions);
    }

    /// <summary>The process is gone and reaped; its place is free.</summary>
    public static void Reaped(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.Current is { } call)
        {
            worker.Current = null;
            Settlement.Release(table, call);
            actions.Add(PoolActionKind.FailLost, worker, call);
        }

        // The one allocation of a decision, once per process: whoever still holds the old entry holds nothing of the next life.
        worker.State = WorkerState.Absent;
        table.Workers[worker.Index] = new WorkerEntry(worker.Index);
        table.Occupied--;
        Settlement.Settle(table, now, actions);
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
            Settlement.Release(table, call);
        }
        else if (table.IsAborted)
        {
            worker.Current = null;
            Settlement.Release(table, call);
            Settlement.End(call, PoolActionKind.RejectDraining, actions);
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
}
