namespace Weir.Execution.Processes;

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

    /// <summary>Calls that have a place: one per worker, and those that wait.</summary>
    public int Places => MaxWorkers + QueueLimit;
}
