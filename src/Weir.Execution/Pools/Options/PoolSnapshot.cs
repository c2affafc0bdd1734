namespace Weir;

/// <summary>The state of a pool at one moment.</summary>
/// <param name="Name">The pool's name.</param>
/// <param name="MinWorkers">The minimum of workers.</param>
/// <param name="MaxWorkers">The most workers.</param>
/// <param name="QueueLimit">How many calls may wait for a worker.</param>
/// <param name="Queued">Calls that wait for a worker.</param>
/// <param name="WaitingForCapacity">Callers that wait outside the queue because it is full.</param>
/// <param name="IsDraining">Whether it accepts no more calls.</param>
/// <param name="Isolation">How its workers are isolated from the host and from each other on this machine, as text: what applies to all, and the limits of the worker started last.</param>
/// <param name="Workers">Its workers, including those that are starting or ending.</param>
public sealed record PoolSnapshot(
    string Name,
    int MinWorkers,
    int MaxWorkers,
    int QueueLimit,
    int Queued,
    int WaitingForCapacity,
    bool IsDraining,
    string Isolation,
    IReadOnlyList<WorkerSnapshot> Workers)
{
    /// <summary>
    /// Why the pool cannot start workers: from the moment when its <see cref="PoolOptions.RestartBudget"/> is spent until a worker serves
    /// again. <c>null</c> while the pool can start them.
    /// </summary>
    public string? StartFailure { get; init; }

    /// <summary>Why the last worker that was started did not become ready; <c>null</c> when one has become ready after it, or none has failed.</summary>
    public string? LastStartFailure { get; init; }

    /// <summary>How many workers were lost while they ran calls in the last minute, whatever the calls were.</summary>
    public int WorkersLostInCalls { get; init; }

    /// <summary>How the last of them ended, with the id of its crash report; <c>null</c> when none was lost in the last minute.</summary>
    public string? LastLoss { get; init; }

    /// <summary>Whether it gives waiting calls to no worker, because <see cref="WorkerPool.Pause"/> was called.</summary>
    public bool IsPaused { get; init; }

    /// <summary>Calls that its workers have and have not answered.</summary>
    public int Running { get; init; }

    /// <summary>Calls (an operation with the same arguments) that are rejected because workers failed while they ran them; see <see cref="PoolOptions.QuarantineKills"/>.</summary>
    public int Quarantined { get; init; }

    /// <summary>What its workers share, as it is read for those that start now; empty before the first worker of the pool. All workers and pools that name it use one copy.</summary>
    public IReadOnlyList<SharedDataSnapshot> SharedData { get; init; } = [];
}
