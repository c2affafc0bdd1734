namespace Weir.Execution.Pools.Scheduling;

/// <summary>The settings that the decisions use.</summary>
internal sealed record PoolSettings
{
    public required int MinWorkers { get; init; }

    public required int MaxWorkers { get; init; }

    /// <summary>Calls that may wait while every worker is busy.</summary>
    public required int QueueLimit { get; init; }

    /// <summary>How long a worker above the minimum is kept without a call; <c>null</c> for no limit.</summary>
    public required TimeSpan? IdleTimeout { get; init; }

    public required TimeSpan CancelGrace { get; init; }

    public required int RestartBudget { get; init; }

    /// <summary>How many workers start at the same time: more would only slow each other down.</summary>
    public required int MostStarting { get; init; }

    /// <summary>Calls a worker runs at a time. Above 1 nothing is prefetched: several calls in flight already hide the latency of the channel.</summary>
    public int Concurrency { get; init; } = 1;

    /// <summary>Workers kept idle while all others are busy, within the maximum.</summary>
    public int Standby { get; init; }

    /// <summary>How many calls a worker may get; with ten or more each worker gets a little fewer, so that they do not retire together. <c>null</c> for any number.</summary>
    public long? MostTasks { get; init; }

    /// <summary>How old a worker may become, each a little less; <c>null</c> for no limit.</summary>
    public TimeSpan? MostAge { get; init; }

    /// <summary>A worker that uses more private memory retires after its calls; <c>null</c> for no limit.</summary>
    public long? SoftMemoryBytes { get; init; }

    /// <summary>The most time that calls of known length wait inside a busy worker; zero prefetches nothing.</summary>
    public TimeSpan LongestBacklog { get; init; } = TimeSpan.FromMicroseconds(200);

    /// <summary>The most bytes of the calls in a busy worker to which calls are prefetched.</summary>
    public long MostPrefetchedBytes { get; init; } = 256 << 10;

    /// <summary>How often an idempotent call is retried after its worker failed while it ran the call.</summary>
    public int MostRetries { get; init; } = 2;

    /// <summary>How many worker failures a call causes before calls like it are rejected; 0 for never.</summary>
    public int QuarantineKills { get; init; } = 2;

    /// <summary>How long calls like it are rejected, and how long a worker failure counts.</summary>
    public TimeSpan QuarantineTime { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How many worker failures by a signal from outside are needed before they count against a call, then all together; fewer do not count.</summary>
    public int ForgivenDeaths { get; init; } = 5;

    /// <summary>How long a worker that runs nothing may leave a PING unanswered; <c>null</c> for no limit.</summary>
    public TimeSpan? StallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Calls that have a place: those that the workers run, and those that wait.</summary>
    public int Places => (MaxWorkers * Concurrency) + QueueLimit;
}
