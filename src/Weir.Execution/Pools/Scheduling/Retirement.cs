namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Who leaves, and when: only between calls. Idle workers above the minimum go by their age without a call. Workers that are old,
/// have had nearly all the calls they may have, or are of an older generation go when another one is ready in their place; where
/// the maximum leaves no place for it, one goes first. Workers that hold too much memory, or have had all their calls, go at once.
/// </summary>
internal static class Retirement
{
    /// <summary>What a worker without a call gets to dispose its services and leave, however short the grace of calls is.</summary>
    public static readonly TimeSpan LeastTimeToLeave = TimeSpan.FromSeconds(2);

    // Workers of one age leave over a tenth of their time: so many steps.
    private const int Spread = 8;
    private const int LeastTasksToSpread = 10;

    /// <summary>A worker became ready: its limits, and the one whose place it takes.</summary>
    public static void Begin(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        // 1. A little less for each, or all leave together.
        var step = worker.Serial % Spread;
        worker.OldAt = table.Settings.MostAge is { } age ? now + age - (age * ((double)step / (10 * Spread))) : null;
        worker.MostTasks = table.Settings.MostTasks is { } tasks
            ? tasks - (tasks >= LeastTasksToSpread ? tasks * step / (10 * Spread) : 0)
            : null;
        if (worker.OldAt is { } old)
        {
            table.Foresee(old);
        }

        // 2. One that is to be replaced is.
        if (Replaced(table) is { } other)
        {
            SendAway(table, other, now, actions);
        }
    }

    /// <summary>It took a call: it may have been one of the last it may have.</summary>
    public static void Took(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.Taken++;
        if (worker.MostTasks is not { } most)
        {
            return;
        }

        if (worker.Taken >= most)
        {
            Dispatch.StopTaking(table, worker, now);
            worker.State = WorkerState.Finishing;
        }
        else if (worker.Taken >= most - (most / 8))
        {
            MarkDue(table, worker, DueReason.Tasks);
        }
    }

    /// <summary>Has another one take its place.</summary>
    public static void MarkDue(PoolTable table, WorkerEntry worker, DueReason reason)
    {
        if (worker is { Due: DueReason.None, State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent })
        {
            worker.Due = reason;
            table.Due += worker.State == WorkerState.Silent ? 0 : 1;
        }
    }

    /// <summary>It goes when it has no call, now or later.</summary>
    public static void SendAway(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        Dispatch.StopTaking(table, worker, now);
        if (worker.State == WorkerState.Busy)
        {
            worker.State = WorkerState.Finishing;
        }
        else
        {
            Leave(table, worker, now, actions);
        }
    }

    /// <summary>It has no call and gets none: it is told to leave, if it is not being killed.</summary>
    public static void Leave(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        worker.State = WorkerState.Retiring;
        if (worker.Killed == KillReason.None)
        {
            worker.KillAt = now + TimeToLeave(table);
            table.Foresee(worker.KillAt.Value);
            actions.Add(PoolActionKind.Retire, worker);
        }
    }

    /// <summary>How long a worker that was told to leave may take for it.</summary>
    public static TimeSpan TimeToLeave(PoolTable table) =>
        table.Settings.CancelGrace > LeastTimeToLeave ? table.Settings.CancelGrace : LeastTimeToLeave;

    /// <summary>The new generation cannot be started: the one before stays, and is what is started from now on.</summary>
    /// <returns>Whether there is one.</returns>
    public static bool KeepOld(PoolTable table, TimeSpan now, PoolActions actions)
    {
        if (table.ProvenGeneration is not { } proven || proven == table.Generation)
        {
            return false;
        }

        table.Generation = proven;
        foreach (var worker in table.Workers)
        {
            if (worker.Due == DueReason.Generation && worker.Generation == proven)
            {
                worker.Due = DueReason.None;
                table.Due -= worker.State is WorkerState.Idle or WorkerState.Busy ? 1 : 0;
            }
            else if (worker.State == WorkerState.Starting)
            {
                // It may be luckier than the one that failed, and the pool would be of two generations.
                WorkerFailure.Kill(table, worker, KillReason.NotNeeded, now, actions);
            }
        }

        // Some may be more than the minimum now.
        table.Foresee(now);
        return true;
    }

    /// <summary>Time has passed: who is old is to be replaced, who was idle for long goes.</summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            if (worker is { Due: DueReason.None, OldAt: { } old, State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent })
            {
                if (old <= now)
                {
                    MarkDue(table, worker, DueReason.Age);
                }
                else
                {
                    table.Foresee(old);
                }
            }
        }

        while (IdleUntil(table, now) is { } until)
        {
            if (until > now)
            {
                table.Foresee(until);
                return;
            }

            SendAway(table, table.Idle.Oldest, now, actions);
        }
    }

    /// <summary>Whether the longest idle worker is above the minimum, to which those that are to be replaced do not count.</summary>
    public static bool MayShrink(PoolTable table) =>
        table.Idle.Count > 0 && !table.IsDraining
        && table.Live - table.Due - (table.Idle.Oldest.Due == DueReason.None ? 1 : 0) >= table.Settings.MinWorkers;

    /// <summary>When the longest idle worker goes; <c>null</c> when it stays.</summary>
    public static TimeSpan? IdleUntil(PoolTable table, TimeSpan now) =>
        table.Settings.IdleTimeout is { } timeout && MayShrink(table) ? table.Idle.AgesFrom(table.Busy > 0, table.StartTime, now) + timeout : null;

    /// <summary>What follows for those that are to be replaced.</summary>
    public static void Settle(PoolTable table, TimeSpan now, PoolActions actions)
    {
        if (table.Due == 0 || table.IsDraining)
        {
            return;
        }

        // 1. Who has no work, and whom the minimum does not need, goes without a replacement.
        for (var i = 0; i < table.Workers.Length && table.Live - table.Due >= table.Settings.MinWorkers; i++)
        {
            if (table.Workers[i] is { State: WorkerState.Idle } worker && worker.Due != DueReason.None)
            {
                SendAway(table, worker, now, actions);
            }
        }

        // 2. There is no place for a replacement: one makes room.
        if (table.Occupied >= table.Workers.Length)
        {
            MakeRoom(table, now, actions);
        }
    }

    /// <summary>
    /// A replacement cannot be started, because the pool stands at its maximum or the host has no room: one of those that are to be
    /// replaced leaves first, unless somebody is on the way out or in already. Its room is the replacement's.
    /// </summary>
    public static void MakeRoom(PoolTable table, TimeSpan now, PoolActions actions)
    {
        if (table.Due > 0 && !table.IsDraining && table.Live == table.Occupied && !table.Restarts.IsClosed(now) && Replaced(table) is { } first)
        {
            SendAway(table, first, now, actions);
        }
    }

    // Who is replaced next: one without a call before one that runs some.
    private static WorkerEntry? Replaced(PoolTable table)
    {
        WorkerEntry? found = null;
        for (var i = 0; i < table.Workers.Length && table.Due > 0; i++)
        {
            var worker = table.Workers[i];
            if (worker.Due != DueReason.None && (worker.State == WorkerState.Idle || (worker.State == WorkerState.Busy && found is null)))
            {
                found = worker;
                if (worker.State == WorkerState.Idle)
                {
                    break;
                }
            }
        }

        return found;
    }
}
