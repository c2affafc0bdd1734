namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Which workers retire, and when: only between calls. Idle workers above the minimum retire after a time without a call. Workers that
/// are old, have had nearly all the calls they may get, or are of an older generation retire when a replacement is ready; if the maximum
/// leaves no place for it, one retires first. Workers that use too much memory, or have had all their calls, retire at once.
/// </summary>
internal static class Retirement
{
    /// <summary>The least time for a worker without a call to dispose its services and exit, however short the grace of calls is.</summary>
    public static readonly TimeSpan LeastTimeToLeave = TimeSpan.FromSeconds(2);

    // Workers of one age retire spread over a tenth of their time, in this many steps.
    private const int Spread = 8;
    private const int LeastTasksToSpread = 10;

    /// <summary>A worker became ready: sets its limits, and retires the worker that it replaces.</summary>
    public static void Begin(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        // 1. A little less for each, or all would retire together.
        var step = worker.Serial % Spread;
        worker.OldAt = table.Settings.MostAge is { } age ? now + age - (age * ((double)step / (10 * Spread))) : null;
        worker.MostTasks = table.Settings.MostTasks is { } tasks
            ? tasks - (tasks >= LeastTasksToSpread ? tasks * step / (10 * Spread) : 0)
            : null;
        if (worker.OldAt is { } old)
        {
            table.ScheduleTick(old);
        }

        // 2. If a worker is to be replaced, this one replaces it.
        if (Replaced(table) is { } other)
        {
            SendAway(table, other, now, actions);
        }
    }

    /// <summary>It was given a call: that may have been one of the last it may get.</summary>
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
            worker.Retired = RetirementReason.Tasks;
            worker.State = WorkerState.Finishing;
        }
        else if (worker.Taken >= most - (most / 8))
        {
            MarkDue(table, worker, RetirementReason.Tasks);
        }
    }

    /// <summary>Marks it to be replaced by another worker.</summary>
    public static void MarkDue(PoolTable table, WorkerEntry worker, RetirementReason reason)
    {
        if (worker is { Due: RetirementReason.None, State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent })
        {
            worker.Due = reason;
            table.Due += worker.State == WorkerState.Silent ? 0 : 1;
        }
    }

    /// <summary>It retires when it has no call, now or later.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="now">The time.</param>
    /// <param name="actions">What follows.</param>
    /// <param name="reason">Why, where that is not why it is to be replaced.</param>
    public static void SendAway(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions, RetirementReason reason = RetirementReason.None)
    {
        worker.Retired = reason == RetirementReason.None ? worker.Due : reason;
        Dispatch.StopTaking(table, worker, now);
        if (worker.State == WorkerState.Busy)
        {
            worker.State = WorkerState.Finishing;
        }
        else
        {
            Exit(table, worker, now, actions);
        }
    }

    /// <summary>It has no call and gets none: it is asked to exit, unless it is being killed.</summary>
    public static void Exit(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        worker.State = WorkerState.Retiring;
        if (worker.Killed == KillReason.None)
        {
            worker.KillAt = now + TimeToExit(table);
            table.ScheduleTick(worker.KillAt.Value);
            actions.Add(PoolActionKind.Retire, worker);
        }
    }

    /// <summary>How long a worker that was asked to exit may take for it.</summary>
    public static TimeSpan TimeToExit(PoolTable table) =>
        table.Settings.CancelGrace > LeastTimeToLeave ? table.Settings.CancelGrace : LeastTimeToLeave;

    /// <summary>The new generation cannot be started: the one before stays, and workers are started with it from now on.</summary>
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
            if (worker.Due == RetirementReason.Generation && worker.Generation == proven)
            {
                worker.Due = RetirementReason.None;
                table.Due -= worker.State is WorkerState.Idle or WorkerState.Busy ? 1 : 0;
            }
            else if (worker.State == WorkerState.Starting)
            {
                // It might start although the other one failed, and the pool would have two generations.
                WorkerFailure.Kill(table, worker, KillReason.NotNeeded, now, actions);
            }
        }

        // There may be more workers than the minimum now.
        table.ScheduleTick(now);
        return true;
    }

    /// <summary>Time has passed: old workers are to be replaced, workers that were idle for long retire.</summary>
    public static void Tick(PoolTable table, TimeSpan now, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            if (worker is { Due: RetirementReason.None, OldAt: { } old, State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent })
            {
                if (old <= now)
                {
                    MarkDue(table, worker, RetirementReason.Age);
                }
                else
                {
                    table.ScheduleTick(old);
                }
            }
        }

        while (IdleUntil(table, now) is { } until)
        {
            if (until > now)
            {
                table.ScheduleTick(until);
                return;
            }

            SendAway(table, table.Idle.Oldest, now, actions, RetirementReason.Idle);
        }
    }

    /// <summary>Whether the longest idle worker is above the minimum; workers that are to be replaced do not count towards it.</summary>
    public static bool MayShrink(PoolTable table) =>
        table.Idle.Count > 0 && !table.IsDraining
        && table.Live - table.Due - (table.Idle.Oldest.Due == RetirementReason.None ? 1 : 0) >= table.Settings.MinWorkers;

    /// <summary>When the longest idle worker retires; <c>null</c> when it stays.</summary>
    public static TimeSpan? IdleUntil(PoolTable table, TimeSpan now) =>
        table.Settings.IdleTimeout is { } timeout && MayShrink(table) ? table.Idle.AgesFrom(table.Busy > 0, table.StartTime, now) + timeout : null;

    /// <summary>What follows for the workers that are to be replaced, and for those above a maximum that was lowered.</summary>
    public static void Apply(PoolTable table, TimeSpan now, PoolActions actions)
    {
        if (table.Live + table.Starting > table.Settings.MaxWorkers && !table.IsDraining)
        {
            SendExcessAway(table, now, actions);
        }

        if (table.Due == 0 || table.IsDraining)
        {
            return;
        }

        // 1. Idle workers that the minimum does not need retire without a replacement.
        for (var i = 0; i < table.Workers.Length && table.Live - table.Due >= table.Settings.MinWorkers; i++)
        {
            if (table.Workers[i] is { State: WorkerState.Idle } worker && worker.Due != RetirementReason.None)
            {
                SendAway(table, worker, now, actions);
            }
        }

        // 2. There is no place for a replacement: one worker retires first.
        if (table.Occupied >= table.Settings.MaxWorkers)
        {
            MakeCapacity(table, now, actions);
        }
    }

    /// <summary>
    /// A replacement cannot be started, because the pool is at its maximum or the host has no capacity: one of the workers that are to be
    /// replaced retires first, unless a worker is already starting or ending. Its place and capacity are for the replacement.
    /// </summary>
    public static void MakeCapacity(PoolTable table, TimeSpan now, PoolActions actions)
    {
        if (table.Due == 0 || table.IsDraining || table.Live != table.Occupied)
        {
            return;
        }

        if (table.Restarts.IsClosed(now))
        {
            // Its replacement could not be started yet.
            table.ScheduleTick(table.Restarts.ClosedUntil);
        }
        else if (Replaced(table) is { } first)
        {
            SendAway(table, first, now, actions);
        }
    }

    // The maximum was lowered: workers that start are not needed any more, then idle ones, then busy ones, which finish their calls.
    private static void SendExcessAway(PoolTable table, TimeSpan now, PoolActions actions)
    {
        var excess = table.Live - table.Settings.MaxWorkers;
        foreach (var worker in table.Workers)
        {
            excess += worker is { State: WorkerState.Starting, Killed: KillReason.None } ? 1 : 0;
        }

        for (var i = 0; i < table.Workers.Length && excess > 0; i++)
        {
            if (table.Workers[i] is { State: WorkerState.Starting, Killed: KillReason.None } starting)
            {
                WorkerFailure.Kill(table, starting, KillReason.NotNeeded, now, actions);
                excess--;
            }
        }

        for (; excess > 0 && table.Idle.Count > 0; excess--)
        {
            SendAway(table, table.Idle.Oldest, now, actions, RetirementReason.Size);
        }

        for (var i = 0; i < table.Workers.Length && excess > 0; i++)
        {
            if (table.Workers[i] is { State: WorkerState.Busy } busy)
            {
                SendAway(table, busy, now, actions, RetirementReason.Size);
                excess--;
            }
        }
    }

    // Which worker is replaced next: an idle one before a busy one.
    private static WorkerEntry? Replaced(PoolTable table)
    {
        WorkerEntry? found = null;
        for (var i = 0; i < table.Workers.Length && table.Due > 0; i++)
        {
            var worker = table.Workers[i];
            if (worker.Due != RetirementReason.None && (worker.State == WorkerState.Idle || (worker.State == WorkerState.Busy && found is null)))
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
