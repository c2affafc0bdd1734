namespace Weir.Execution.Pools.Scheduling;

/// <summary>Who has a place in the pool: as many calls as its workers run and its queue holds, besides those sent ahead. Places become free for those who waited first.</summary>
internal static class Admission
{
    /// <summary>Gives a caller a place, lets it wait for one, or turns it away. Nobody is overtaken: while somebody waits there is no place, every event sees to that.</summary>
    public static void Seek(PoolTable table, CallEntry call, bool waits, TimeSpan now, PoolActions actions)
    {
        call.ArrivedAt = now;
        if (table.IsDraining)
        {
            End(call, PoolActionKind.RejectDraining, actions);
        }
        else if (ScaleOut.CannotServe(table, now))
        {
            End(call, PoolActionKind.FailStart, actions);
        }
        else if (table.HasPlace)
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

    /// <summary>The arguments of an admitted call are there: it waits for a worker.</summary>
    public static void Queue(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
    {
        if (table.IsAborted)
        {
            Release(table, call);
            End(call, PoolActionKind.RejectDraining, actions);
        }
        else
        {
            table.Queue.AddLast(call, now);
        }
    }

    /// <summary>Free places go to those who waited first: to the queue, or back to the caller, who writes the arguments.</summary>
    /// <returns>Whether somebody came to the queue.</returns>
    public static bool Settle(PoolTable table, TimeSpan now, PoolActions actions)
    {
        var hasQueued = false;
        while (table.Waiters.Count > 0 && table.HasPlace)
        {
            var call = table.Waiters.RemoveFirst();
            call.State = CallState.Admitted;
            table.InPool++;
            if (call.IsWritten)
            {
                Queue(table, call, now, actions);
                hasQueued = true;
            }
            else
            {
                actions.Add(PoolActionKind.Admit, call: call);
            }
        }

        return hasQueued;
    }

    /// <summary>Everybody who has no worker is told the same.</summary>
    public static void EndAllWaiting(PoolTable table, PoolActionKind how, PoolActions actions)
    {
        while (table.Queue.First is { } call)
        {
            table.Queue.Remove(call);
            Release(table, call);
            End(call, how, actions);
        }

        while (table.Waiters.Count > 0)
        {
            End(table.Waiters.RemoveFirst(), how, actions);
        }
    }

    /// <summary>The call has no place any more.</summary>
    public static void Release(PoolTable table, CallEntry call)
    {
        table.InPool--;
        call.State = CallState.Ended;
        call.Worker = null;
    }

    /// <summary>The call's caller is told.</summary>
    public static void End(CallEntry call, PoolActionKind how, PoolActions actions, WorkerEntry? worker = null)
    {
        call.State = CallState.Ended;
        actions.Add(how, worker, call);
    }
}
