using Weir.Runtime;

namespace Weir.Execution.Pools.Scheduling;

/// <summary>Which calls have a place in the pool: as many as its workers run and its queue holds, besides prefetched calls. Free places go to the calls that waited longest.</summary>
internal static class AdmissionControl
{
    /// <summary>Gives a call a place, lets it wait for one, or rejects it. No call is overtaken: while calls wait there is no free place; every event ensures that.</summary>
    public static void Seek(PoolTable table, CallEntry call, TimeSpan now, PoolActions actions)
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
        else if (call.Admission == CallAdmission.Free ? table.HasFreeSlot : table.HasPlace)
        {
            call.State = CallState.Admitted;
            table.InPool++;
        }
        else if (call.Admission == CallAdmission.Wait)
        {
            call.State = CallState.Waiting;
            table.Waiters.AddLast(call);
        }
        else
        {
            End(call, call.Admission == CallAdmission.Free ? PoolActionKind.RejectBusy : PoolActionKind.RejectFull, actions);
        }
    }

    /// <summary>The arguments of an admitted call are written: it waits for a worker.</summary>
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

    /// <summary>Gives free places to the calls that waited longest: a call is queued, or its caller is notified to write the arguments.</summary>
    /// <returns>Whether a call was queued.</returns>
    public static bool Apply(PoolTable table, TimeSpan now, PoolActions actions)
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

    /// <summary>Completes every call that has no worker, all with the same outcome.</summary>
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

    /// <summary>A cancelled call is with no worker any more, and none has begun it: its place is free. If it was to end with its code, this is its end.</summary>
    public static void Drop(PoolTable table, CallEntry call, PoolActions actions)
    {
        Release(table, call);
        if (call.EndsWithItsCode)
        {
            End(call, PoolActionKind.Abandon, actions);
        }
    }

    /// <summary>Completes the call and notifies its caller.</summary>
    public static void End(CallEntry call, PoolActionKind how, PoolActions actions, WorkerEntry? worker = null)
    {
        call.State = CallState.Ended;
        actions.Add(how, worker, call);
    }
}
