namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// The whole state of one pool: its places for workers, the calls that wait, what has been learnt, and how far it is drained.
/// Only the decisions change it, under the pool's lock.
/// </summary>
internal sealed class PoolTable
{
    public PoolTable(PoolSettings settings)
    {
        Settings = settings;
        Restarts = new RestartBudget(settings.RestartBudget);
        Quarantine = new Quarantine(settings.QuarantineKills, settings.QuarantineTime, settings.ForgivenDeaths);
        Workers = new WorkerEntry[settings.MaxWorkers + settings.Surge];
        Idle = new IdleStack(Workers.Length, settings.Standby);
        for (var i = 0; i < Workers.Length; i++)
        {
            Workers[i] = new WorkerEntry(i);
        }
    }

    public PoolSettings Settings { get; }

    /// <summary>One entry per worker of the maximum, and those above it that may live while they replace others.</summary>
    public WorkerEntry[] Workers { get; }

    /// <summary>The workers that are <see cref="WorkerState.Idle"/>.</summary>
    public IdleStack Idle { get; }

    /// <summary>Calls with arguments, waiting for a worker. Bounded by <see cref="PoolSettings.Places"/>, and what comes back from workers.</summary>
    public CallQueue Queue { get; } = new();

    /// <summary>Callers that wait for a place. Unbounded: each is an await of its own caller, who alone bounds it, and holds nothing else.</summary>
    public CallList Waiters { get; } = new();

    public RestartBudget Restarts { get; }

    public Quarantine Quarantine { get; }

    /// <summary>Calls that have a place: being written, queued, or with a worker.</summary>
    public int InPool { get; set; }

    /// <summary>Those of them that a worker has beyond what it runs: what bounds them is their time and their bytes, not the places.</summary>
    public int Ahead { get; set; }

    /// <summary>Whether a call that comes now finds a place.</summary>
    public bool HasPlace => InPool - Ahead < Settings.Places;

    /// <summary>Places for workers that are not <see cref="WorkerState.Absent"/>.</summary>
    public int Occupied { get; set; }

    public int Starting { get; set; }

    public int Busy { get; set; }

    /// <summary>How many idle and busy workers are to be replaced.</summary>
    public int Due { get; set; }

    /// <summary>Workers that serve, or will without anybody's doing.</summary>
    public int Live => Idle.Count + Busy;

    /// <summary>What workers are started as. An older one is replaced.</summary>
    public int Generation { get; set; }

    /// <summary>The latest generation there ever was; not the one above when it could not be started.</summary>
    public int LastGeneration { get; set; }

    /// <summary>The latest of which a worker was ever ready.</summary>
    public int? ProvenGeneration { get; set; }

    /// <summary>Processes that were asked for so far.</summary>
    public long Spawned { get; set; }

    /// <summary>Calls that were run again so far, because their worker died of them.</summary>
    public long Retried { get; set; }

    /// <summary>How long a worker takes from its spawn to READY.</summary>
    public TimeSpan StartTime { get; set; } = TimeSpan.FromMilliseconds(15);

    /// <summary>How many workers the last event would have started: <see cref="PoolDecisions.Grow"/> is brought for as many of them as the host has capacity for.</summary>
    public int Wanted { get; set; }

    public bool IsDraining { get; set; }

    public bool IsAborted { get; set; }

    public bool IsDrained { get; set; }

    /// <summary>When the host last went on after it had stood still: what was to be over before that is counted from here. <c>null</c> for never.</summary>
    public TimeSpan? ResumedAt { get; set; }

    /// <summary>A moment from which a worker's time is counted: not before the host last went on.</summary>
    public TimeSpan CountedFrom(TimeSpan since) => since < ResumedAt ? ResumedAt.Value : since;

    /// <summary>Not later than the next moment at which time alone changes something; <c>null</c> when none is foreseen.</summary>
    public TimeSpan? NextDue { get; set; }

    /// <summary>Time alone will change something then.</summary>
    public void Foresee(TimeSpan at)
    {
        if (NextDue is null || at < NextDue)
        {
            NextDue = at;
        }
    }
}
