namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// The whole state of one pool: its places for workers, the calls that wait, what has been learned, and how far it is drained.
/// Only the decisions change it, under the pool's lock.
/// </summary>
internal sealed class PoolTable
{
    public PoolTable(PoolSettings settings)
    {
        Settings = settings;
        Restarts = new RestartBudget(settings.RestartBudget);
        Quarantine = new Quarantine(settings.QuarantineKills, settings.QuarantineTime, settings.ForgivenDeaths);
        Workers = new WorkerEntry[settings.MaxWorkers];
        Idle = new IdleStack(Workers.Length, settings.Standby);
        for (var i = 0; i < Workers.Length; i++)
        {
            Workers[i] = new WorkerEntry(i);
        }
    }

    public PoolSettings Settings { get; private set; }

    /// <summary>
    /// One entry per worker of the maximum, and those above it that may live while they replace others. After the maximum was raised it is
    /// another array with the same entries; after it was lowered there are more entries than workers.
    /// </summary>
    public WorkerEntry[] Workers { get; private set; }

    /// <summary>The workers that are <see cref="WorkerState.Idle"/>.</summary>
    public IdleStack Idle { get; }

    /// <summary>Calls with arguments, waiting for a worker. Bounded by <see cref="PoolSettings.Places"/>, and by the calls that come back from workers.</summary>
    public CallQueue Queue { get; } = new();

    /// <summary>Calls that wait for a place. Unbounded: each is an await of its own caller, which alone limits their number, and holds nothing else.</summary>
    public CallList Waiters { get; } = new();

    public RestartBudget Restarts { get; }

    public Quarantine Quarantine { get; }

    /// <summary>Calls that have a place: being written, queued, or with a worker.</summary>
    public int InPool { get; set; }

    /// <summary>Those of them that are prefetched, beyond what a worker runs: they are bounded by their time and their bytes, not by the places.</summary>
    public int Prefetched { get; set; }

    /// <summary>Whether a call that arrives now gets a place.</summary>
    public bool HasPlace => InPool - Prefetched < Settings.Places;

    /// <summary>Whether a call that arrives now runs at once, or as soon as a worker has started for it.</summary>
    public bool HasFreeSlot => InPool - Prefetched < Settings.MaxWorkers * Settings.Concurrency;

    /// <summary>Places for workers that are not <see cref="WorkerState.Absent"/>.</summary>
    public int Occupied { get; set; }

    public int Starting { get; set; }

    public int Busy { get; set; }

    /// <summary>How many idle and busy workers are to be replaced.</summary>
    public int Due { get; set; }

    /// <summary>Workers that are idle or busy.</summary>
    public int Live => Idle.Count + Busy;

    /// <summary>The generation that workers are started with. Workers of an older one are replaced.</summary>
    public int Generation { get; set; }

    /// <summary>The latest generation that was ever begun; differs from <see cref="Generation"/> when it could not be started.</summary>
    public int LastGeneration { get; set; }

    /// <summary>The latest generation of which a worker was ready.</summary>
    public int? ProvenGeneration { get; set; }

    /// <summary>Processes that were requested so far.</summary>
    public long Spawned { get; set; }

    /// <summary>Calls that were retried so far, because their worker failed while it ran them.</summary>
    public long Retried { get; set; }

    /// <summary>How long a worker takes from its spawn to READY.</summary>
    public TimeSpan StartTime { get; set; } = TimeSpan.FromMilliseconds(15);

    /// <summary>How many workers the last event would have started: <see cref="PoolDecisions.Grow"/> is called for as many of them as the host has capacity for.</summary>
    public int Wanted { get; set; }

    /// <summary>No call that waits is given to a worker, until an operator resumes the pool or it drains.</summary>
    public bool IsPaused { get; set; }

    public bool IsDraining { get; set; }

    public bool IsAborted { get; set; }

    public bool IsDrained { get; set; }

    /// <summary>When the host was last found to have stood still, and runs again; <c>null</c> for never. Only <see cref="Watchdog.Resume"/> sets this and the next two.</summary>
    public TimeSpan? StoodStillAt { get; set; }

    /// <summary>How often in succession the host has stood still.</summary>
    public int Resumptions { get; set; }

    /// <summary>Times that began before this are counted from here, because the host stood still; <c>null</c> for never.</summary>
    public TimeSpan? ResumedAt { get; set; }

    /// <summary>The moment from which a worker's time is counted: not before the host last continued after a stall.</summary>
    public TimeSpan CountedFrom(TimeSpan since) => since < ResumedAt ? ResumedAt.Value : since;

    /// <summary>Not later than the next moment at which time alone changes something; <c>null</c> when none is planned.</summary>
    public TimeSpan? NextDue { get; set; }

    /// <summary>Other settings from now on. Of them only the minimum, the maximum, the limit of the queue and the idle timeout may differ: what else depends on settings is created with the table.</summary>
    public void Resize(PoolSettings settings)
    {
        Settings = settings;
        var (first, most) = (Workers.Length, settings.MaxWorkers);
        if (most > first)
        {
            var workers = Workers;
            Array.Resize(ref workers, most);
            for (var i = first; i < most; i++)
            {
                workers[i] = new WorkerEntry(i);
            }

            Workers = workers;
            Idle.Grow(most);
        }
    }

    /// <summary>Plans a tick: time alone will change something then.</summary>
    public void ScheduleTick(TimeSpan at)
    {
        if (NextDue is null || at < NextDue)
        {
            NextDue = at;
        }
    }
}
