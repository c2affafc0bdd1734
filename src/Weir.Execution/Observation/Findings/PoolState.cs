namespace Weir.Execution.Observation.Findings;

/// <summary>A pool, or the lane, at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Reading">Its state.</param>
internal sealed record PoolState(string Name, PoolReading Reading)
{
    /// <summary>Calls that were rejected in the last ten seconds.</summary>
    public long Rejected { get; init; }

    /// <summary>The median of its calls of the last minute, in seconds; <c>null</c> without a call.</summary>
    public double? Median { get; init; }

    /// <summary>The memory of its workers that have a limit, at most ten seconds old.</summary>
    public IReadOnlyList<WorkerMemory> Memory { get; init; } = [];
}
