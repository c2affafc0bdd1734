namespace Weir.Execution.Pools.Capacity;

/// <summary>A pool as its host's capacity sees it. Called on the thread pool and without a lock.</summary>
internal interface ICapacityUser
{
    /// <summary>
    /// Whether calls wait, or workers of the minimum are missing. Only then do idle workers of other pools retire for this one: a
    /// standby worker would itself be retired again.
    /// </summary>
    bool NeedsWorkers { get; }

    /// <summary>There is capacity again: reserves what is still wanted.</summary>
    void RetryReserve();

    /// <summary>Other pools need the capacity: retires idle workers above the minimum.</summary>
    /// <param name="most">How many at most.</param>
    /// <returns>How many.</returns>
    int RetireIdle(int most);

    /// <summary>The host cannot run so many more workers.</summary>
    /// <param name="wanted">How many.</param>
    /// <param name="limit">What is exhausted, and what is known of it.</param>
    void ReportShortage(int wanted, string limit);

    /// <summary>Reading the machine failed, or serving the pools that were refused.</summary>
    void ReportFailure(Exception failure);

    /// <summary>Adds the memory of each worker that is ready, in bytes.</summary>
    void AddWorkerMemory(List<long> memory);
}
