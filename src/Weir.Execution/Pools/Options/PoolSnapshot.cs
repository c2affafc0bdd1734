namespace Weir;

/// <summary>What a pool looks like at one moment.</summary>
/// <param name="Name">The pool's name.</param>
/// <param name="MinWorkers">Workers that are kept.</param>
/// <param name="MaxWorkers">The most workers.</param>
/// <param name="QueueLimit">How many calls may wait for a worker.</param>
/// <param name="Queued">Calls that wait for a worker.</param>
/// <param name="WaitingForRoom">Callers that wait outside because the queue is full.</param>
/// <param name="IsDraining">Whether it takes no more calls.</param>
/// <param name="Isolation">What keeps its workers apart from the host and from each other on this machine, in words: what all have, and what was applied to the one started last.</param>
/// <param name="Workers">Its workers, those that start and end included.</param>
public sealed record PoolSnapshot(
    string Name,
    int MinWorkers,
    int MaxWorkers,
    int QueueLimit,
    int Queued,
    int WaitingForRoom,
    bool IsDraining,
    string Isolation,
    IReadOnlyList<WorkerSnapshot> Workers);
