namespace Weir.Execution.Observation;

/// <summary>A pool, or the lane, as the recorder sees it. Any thread.</summary>
internal interface IObservedPool
{
    /// <summary>The name of the lane. A pool cannot have it: names of pools are words.</summary>
    const string LaneName = "(lane)";

    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Whether the calls of an operation run in a pool of this name, or on the lane.</summary>
    static bool Owns(string name, Operation operation) => operation.Placement switch
    {
        Placement.Lane => name == LaneName,
        Placement.Isolated => string.Equals(operation.Pool, name, StringComparison.OrdinalIgnoreCase),
        _ => false,
    };

    /// <summary>Its state now; begins its peaks again.</summary>
    PoolReading Read();

    /// <summary>The memory of its workers that have a limit. Reads a file for each: not for a thread that must not block.</summary>
    IReadOnlyList<WorkerMemory> ReadMemory() => [];
}
