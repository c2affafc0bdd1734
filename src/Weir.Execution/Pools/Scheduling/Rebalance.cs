namespace Weir.Execution.Pools.Scheduling;

/// <summary>What follows from every event, in this order.</summary>
internal static class Rebalance
{
    public static void Apply(PoolTable table, TimeSpan now, PoolActions actions)
    {
        // 1. Give calls to workers, and places to calls that wait for one. A call that arrived with its arguments is queued and given to a
        // worker, which frees a place again if it is prefetched. Then retire workers, and start workers for calls.
        Dispatch.Apply(table, now, actions);
        while (AdmissionControl.Apply(table, now, actions))
        {
            Dispatch.Apply(table, now, actions);
        }

        Retirement.Apply(table, now, actions);
        ScaleOut.Apply(table, now, actions);

        // 2. A draining pool without calls stops its workers.
        if (table.IsDraining && table.InPool == 0 && table.Waiters.Count == 0)
        {
            Dismiss(table, now, actions);
        }
    }

    private static void Dismiss(PoolTable table, TimeSpan now, PoolActions actions)
    {
        while (table.Idle.Count > 0)
        {
            Retirement.SendAway(table, table.Idle.Oldest, now, actions, RetirementReason.Drain);
        }

        foreach (var worker in table.Workers)
        {
            if (worker.State is WorkerState.Starting or WorkerState.Silent)
            {
                // It has received nothing but HELLO, or does not respond: nothing is lost.
                WorkerFailure.Kill(table, worker, worker.State == WorkerState.Silent ? KillReason.Stalled : KillReason.NotNeeded, now, actions);
            }
        }

        if (table.Occupied == 0 && !table.IsDrained)
        {
            table.IsDrained = true;
            actions.Add(PoolActionKind.Drained);
        }
    }
}
