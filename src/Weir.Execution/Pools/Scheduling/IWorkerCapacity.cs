namespace Weir.Execution.Pools.Scheduling;

/// <summary>For how many workers a pool has capacity on its host. Any thread, also under the pool's lock: it calls nothing of the pool.</summary>
internal interface IWorkerCapacity
{
    /// <summary>Reserves capacity, before workers are started. What is refused is tried again by the pool after a second, or when the host calls it.</summary>
    /// <param name="wanted">For how many workers, 1 or more.</param>
    /// <returns>For how many it is reserved; 0 to <paramref name="wanted"/>.</returns>
    int Reserve(int wanted);

    /// <summary>Releases capacity: of workers that are reaped, or were not started.</summary>
    /// <param name="count">For how many workers, 0 or more.</param>
    void Release(int count);
}
