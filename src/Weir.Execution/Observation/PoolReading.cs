namespace Weir.Execution.Observation;

/// <summary>The state of a pool at one moment, and what it has counted so far. Of the lane, workers are threads.</summary>
internal readonly record struct PoolReading
{
    /// <summary>Whether its calls run in the host, and it has no workers.</summary>
    public bool RunsInline { get; init; }

    /// <summary>The minimum of workers.</summary>
    public int MinWorkers { get; init; }

    /// <summary>The most workers.</summary>
    public int MaxWorkers { get; init; }

    /// <summary>How many calls may wait for a worker.</summary>
    public int QueueLimit { get; init; }

    /// <summary>Workers that live, start or end.</summary>
    public int Workers { get; init; }

    /// <summary>Workers that start.</summary>
    public int Starting { get; init; }

    /// <summary>Workers that have calls.</summary>
    public int Busy { get; init; }

    /// <summary>The most that were busy since the last reading.</summary>
    public int MostBusy { get; init; }

    /// <summary>Calls that wait for a worker.</summary>
    public int Queued { get; init; }

    /// <summary>The most that waited since the last reading.</summary>
    public int MostQueued { get; init; }

    /// <summary>Callers that wait because the queue is full.</summary>
    public int WaitingForCapacity { get; init; }

    /// <summary>How long the oldest waiting call has waited; <c>null</c> where none waits.</summary>
    public TimeSpan? Oldest { get; init; }

    /// <summary>Workers that were started so far.</summary>
    public long Started { get; init; }

    /// <summary>Calls that succeeded so far.</summary>
    public long Succeeded { get; init; }

    /// <summary>Calls that were rejected so far, or are in quarantine.</summary>
    public long Rejected { get; init; }

    /// <summary>Calls that did not succeed so far, the rejected ones too.</summary>
    public long Failed { get; init; }

    /// <summary>Workers that failed so far, in a call or not, and at their start.</summary>
    public long Lost { get; init; }

    /// <summary>Why the pool cannot start workers; <c>null</c> while it can.</summary>
    public string? StartFailure { get; init; }

    /// <summary>Calls that are rejected because calls like them made workers fail.</summary>
    public int Quarantined { get; init; }

    /// <summary>How many workers the host has no capacity for (event 4308), and what is missing; <c>null</c> while it has.</summary>
    public (int Wanted, string Bound)? Missing { get; init; }

    /// <summary>What was asked for and is not applied to its workers (event 4307); <c>null</c> where everything is.</summary>
    public string? MissingLimits { get; init; }

    /// <summary>Whether it gives waiting calls to no worker.</summary>
    public bool IsPaused { get; init; }

    /// <summary>While it reloads: how many workers with its new options serve, and how many with older ones; <c>null</c> otherwise.</summary>
    public (int New, int Old)? Generations { get; init; }

    /// <summary>Whether it accepts no more calls.</summary>
    public bool IsDraining { get; init; }
}
