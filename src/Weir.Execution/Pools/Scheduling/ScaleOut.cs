namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// How many workers to start: the minimum; one for each waiting call of unknown length that no starting worker will take; for
/// calls of known length as many as would still find work when they are ready; one when calls have waited for as long as a
/// start takes, because a start would have been worth it; the standby workers when all have been busy for that long.
/// </summary>
internal static class ScaleOut
{
    /// <summary>When the host has no capacity, the pool tries again after this time.</summary>
    public static readonly TimeSpan CapacityPause = TimeSpan.FromSeconds(1);

    /// <summary>Counts the workers to start now. When none may be started for a while and none serves, waiting calls fail at once.</summary>
    public static void Apply(PoolTable table, TimeSpan now, PoolActions actions)
    {
        table.Wanted = 0;
        if (CannotServe(table, now))
        {
            AdmissionControl.EndAllWaiting(table, PoolActionKind.FailStart, actions);
        }

        var wanted = Shortage(table, now);
        if (wanted <= 0)
        {
            return;
        }

        if (table.Restarts.IsClosed(now))
        {
            table.ScheduleTick(table.Restarts.ClosedUntil);
            return;
        }

        var atOnce = table.Restarts.IsProbing ? 1 : table.Settings.MostStarting;
        table.Wanted = Math.Max(0, Math.Min(wanted, atOnce - table.Starting));
    }

    /// <summary>Starts workers: as many as are wanted, and as the host has capacity for.</summary>
    /// <returns>How many.</returns>
    public static int Start(PoolTable table, int capacity, TimeSpan now, PoolActions actions)
    {
        var starts = Math.Min(table.Wanted, capacity);
        if (starts < table.Wanted)
        {
            table.ScheduleTick(now + CapacityPause);
            Retirement.MakeCapacity(table, now, actions);
        }

        table.Wanted = 0;
        var started = 0;
        for (var i = 0; i < table.Workers.Length && started < starts; i++)
        {
            var worker = table.Workers[i];
            if (worker.State == WorkerState.Absent)
            {
                worker.State = WorkerState.Starting;
                worker.Generation = table.Generation;
                worker.SpawnedAt = now;
                worker.Serial = ++table.Spawned;
                table.Starting++;
                table.Occupied++;
                started++;
                actions.Add(PoolActionKind.Spawn, worker);
            }
        }

        return started;
    }

    /// <summary>No worker serves, none is starting, and none may be started for a while.</summary>
    public static bool CannotServe(PoolTable table, TimeSpan now) =>
        table.Live == 0 && table.Starting == 0 && table.Restarts.IsClosed(now);

    /// <summary>The restart budget is spent, and no worker has served since.</summary>
    public static bool CannotStart(PoolTable table, TimeSpan now) => table.Restarts.IsClosed(now) || (table.Restarts.IsProbing && table.Live == 0);

    // How many workers are missing, less those that are starting already, within the maximum.
    private static int Shortage(PoolTable table, TimeSpan now)
    {
        var capacity = table.Settings.MaxWorkers - table.Occupied;
        var minimum = table.IsDraining ? 0 : table.Settings.MinWorkers;
        var wanted = 0;
        if (capacity > 0)
        {
            wanted = Math.Max(minimum - table.Live, Math.Max(ForQueue(table, now), ForStandby(table, now)));
            wanted = Math.Min(wanted - table.Starting, capacity);
        }

        return table.Due == 0 || table.IsDraining ? wanted
            : Math.Max(wanted, Math.Min(Replacements(table, minimum) - table.Starting, capacity));
    }

    // Workers that are to be replaced do not count towards the minimum; beyond the minimum, one is replaced at a time while workers are busy.
    private static int Replacements(PoolTable table, int minimum) =>
        Math.Max(minimum - (table.Live - table.Due), table.Busy > 0 ? 1 : 0);

    private static int ForQueue(PoolTable table, TimeSpan now)
    {
        var queue = table.Queue;
        if (queue.Count == 0 || table.IsPaused)
        {
            return 0;
        }

        // 1. No call has a known length: each gets its own worker.
        var sure = queue.Count - queue.CallsOfUnknownTime;
        if (sure == 0)
        {
            return queue.CallsOfUnknownTime;
        }

        // 2. The work at hand, including calls that wait for a place, and the workers that will do it.
        var work = queue.Time * (1 + ((double)table.Waiters.Count / queue.Count));
        var able = 0;
        foreach (var worker in table.Workers)
        {
            if (worker is { State: WorkerState.Busy, IsStalled: false, CallsOfUnknownTime: 0 })
            {
                work += worker.Backlog;
                able++;
            }
        }

        // 3. What would be left for a new worker when it is ready.
        var useful = work > table.StartTime * able ? (int)Math.Min(sure, Math.Ceiling(work / table.StartTime) - able) : 0;
        if (useful <= 0)
        {
            // 4. No worker can do it, or it has waited so long that a start would have been worth it.
            useful = able == 0 || table.Queue.Since + table.StartTime <= now ? 1 : 0;
            if (useful == 0)
            {
                table.ScheduleTick(table.Queue.Since + table.StartTime);
            }
        }

        return queue.CallsOfUnknownTime + useful;
    }

    // The standby workers, when all workers have been busy for long.
    private static int ForStandby(PoolTable table, TimeSpan now)
    {
        if (table.Settings.Standby == 0 || table.Idle.Count > 0 || table.Busy == 0 || table.IsDraining)
        {
            return 0;
        }

        var from = table.Idle.EmptySince + table.StartTime;
        if (from > now)
        {
            table.ScheduleTick(from);
            return 0;
        }

        return table.Settings.Standby;
    }
}
