namespace Weir.Execution.Pools.Scheduling;

/// <summary>The figures the decisions stand on.</summary>
internal sealed record PoolSettings
{
    public required int MinWorkers { get; init; }

    public required int MaxWorkers { get; init; }

    /// <summary>Calls that may wait while every worker is busy.</summary>
    public required int QueueLimit { get; init; }

    /// <summary>How long a worker above the minimum stays without a call; <c>null</c> for ever.</summary>
    public required TimeSpan? IdleTimeout { get; init; }

    public required TimeSpan CancelGrace { get; init; }

    public required int RestartBudget { get; init; }

    /// <summary>How many workers start at the same time: more would only slow each other down.</summary>
    public required int MostStarting { get; init; }

    /// <summary>Calls a worker runs at a time. Above 1 nothing is sent ahead: so many in flight hide the way already.</summary>
    public int Concurrency { get; init; } = 1;

    /// <summary>Workers kept idle while all others are busy, within the maximum.</summary>
    public int Standby { get; init; }

    /// <summary>Workers above the maximum that may live while they replace others.</summary>
    public int Surge { get; init; }

    /// <summary>How many calls a worker may have; from ten on each worker a little less, so that they do not leave together. <c>null</c> for any number.</summary>
    public long? MostTasks { get; init; }

    /// <summary>How long a worker lives, each a little less; <c>null</c> for ever.</summary>
    public TimeSpan? MostAge { get; init; }

    /// <summary>A worker that holds more leaves after its calls; <c>null</c> for no limit.</summary>
    public long? SoftMemoryBytes { get; init; }

    /// <summary>Most time that calls of known length wait inside a busy worker; zero sends nothing ahead.</summary>
    public TimeSpan LongestBacklog { get; init; } = TimeSpan.FromMicroseconds(200);

    /// <summary>Most bytes of them.</summary>
    public long MostBytesAhead { get; init; } = 256 << 10;

    /// <summary>How often a call that may be run twice is run again after its worker died of it.</summary>
    public int MostRetries { get; init; } = 2;

    /// <summary>How many workers a call kills before its like is turned away; 0 for never.</summary>
    public int QuarantineKills { get; init; } = 2;

    /// <summary>How long its like is turned away, and how long a death counts.</summary>
    public TimeSpan QuarantineTime { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How many deaths by a signal from outside are held against a call, together, when there are so many; fewer count for nothing.</summary>
    public int ForgivenDeaths { get; init; } = 5;

    /// <summary>How long a worker that runs nothing may leave a PING unanswered; <c>null</c> for ever.</summary>
    public TimeSpan? StallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Calls that have a place: what the workers run, and those that wait.</summary>
    public int Places => (MaxWorkers * Concurrency) + QueueLimit;
}
