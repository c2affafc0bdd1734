namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// What a worker failure means for its calls. One number decides: calls up to the last that the worker had started were running, unless
/// they were answered; those behind it return to the queue unseen, before all others and in their order.
/// </summary>
internal static class WorkerFailure
{
    /// <summary>
    /// A call is given up when this many workers ended when it was its turn, before they had started it. If something else kills workers
    /// all the time, three in a row can be chance; ten are caused by the call.
    /// </summary>
    public const int MostMoves = 10;

    /// <summary>The worker gets nothing more; its calls are still assigned to it.</summary>
    public static void Die(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.FailedServing = worker.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent;
        Dispatch.StopTaking(table, worker, now);
        worker.State = WorkerState.Exiting;
        worker.KillAt = null;
    }

    /// <summary>Kills the process, once. No call is sent to it any more.</summary>
    public static void Kill(PoolTable table, WorkerEntry worker, KillReason reason, TimeSpan now, PoolActions actions)
    {
        if (worker.State is WorkerState.Idle or WorkerState.Busy)
        {
            var next = worker.State == WorkerState.Idle ? WorkerState.Retiring : WorkerState.Finishing;
            Dispatch.StopTaking(table, worker, now);
            worker.State = next;
        }

        worker.KillAt = null;
        if (worker.Killed == KillReason.None)
        {
            worker.Killed = reason;
            actions.Add(PoolActionKind.Kill, worker);
        }
    }

    /// <summary>Nothing runs in the worker any more, and its answers were processed: every call it has is classified.</summary>
    public static void Attribute(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        // 1. A worker that never ran a call counts against the pool.
        if (worker is { FailedServing: true, HasStarted: false } && !table.IsAborted)
        {
            table.Restarts.Strike(now);
        }

        worker.FailedServing = false;

        // 2. From the last to the first, so that those that return to the queue keep their order.
        for (var call = worker.Sent.Last; call is not null;)
        {
            var previous = call.Previous;
            if (call.State == CallState.Sent)
            {
                Attribute(table, worker, call, now, actions);
            }

            call = previous;
        }
    }

    /// <summary>A worker broke the protocol: the calls that were running in it complete at once, or are retried.</summary>
    public static void EndStarted(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        while (worker.Sent.First is { State: CallState.Sent } call && worker.Ran(call))
        {
            table.Quarantine.Blame(call, isExplained: true, now);
            Dispatch.Take(table, worker, call);
            if (Retry.May(table, call, now))
            {
                table.Retried++;
                table.Queue.AddFirst(call, now);
            }
            else
            {
                End(table, worker, call, PoolActionKind.FailViolation, actions);
            }
        }
    }

    /// <summary>The cause is known: the calls that were lost with the worker complete.</summary>
    public static void FailLostCalls(PoolTable table, WorkerEntry worker, PoolActions actions)
    {
        while (worker.Sent.First is { } call)
        {
            Dispatch.Take(table, worker, call);
            End(table, worker, call, call.Attempts == 0 ? PoolActionKind.FailUnstarted : PoolActionKind.FailLost, actions);
        }
    }

    private static void Attribute(PoolTable table, WorkerEntry worker, CallEntry call, TimeSpan now, PoolActions actions)
    {
        var ran = worker.Ran(call);
        if (ran && worker.Killed == KillReason.None)
        {
            // With several calls at a time it is not known which one was the cause. The others are cleared with their next answer.
            table.Quarantine.Blame(call, !worker.WasEndedFromOutside, now);
        }

        if (call.IsCancelled && !(ran && call.EndsWithItsCode))
        {
            Dispatch.Take(table, worker, call);
            AdmissionControl.Drop(table, call, actions);
        }
        else if (ran ? !Retry.May(table, call, now) : call == worker.Sent.First && ++call.Moves >= MostMoves)
        {
            // Its cause is known when the worker is reaped.
            call.State = CallState.Lost;
        }
        else
        {
            Dispatch.Take(table, worker, call);
            table.Retried += ran ? 1 : 0;
            if (!ran && table.IsAborted)
            {
                End(table, worker, call, PoolActionKind.RejectDraining, actions);
            }
            else
            {
                table.Queue.AddFirst(call, now);
            }
        }
    }

    private static void End(PoolTable table, WorkerEntry worker, CallEntry call, PoolActionKind how, PoolActions actions)
    {
        var tells = call.TakesOutcome;
        AdmissionControl.Release(table, call);
        if (tells)
        {
            AdmissionControl.End(call, how, actions, worker);
        }
    }
}
