namespace Weir.Execution.Observation.Findings;

/// <summary>Everything that findings are made of, at one moment.</summary>
internal sealed record ObservedState
{
    /// <summary>The moment.</summary>
    public required DateTimeOffset Now { get; init; }

    /// <summary>The pools, and the lane.</summary>
    public IReadOnlyList<PoolState> Pools { get; init; } = [];

    /// <summary>The operations that were called.</summary>
    public IReadOnlyList<OperationState> Operations { get; init; } = [];

    /// <summary>The calls that run, the longest first.</summary>
    public IReadOnlyList<RunningCallReading> Calls { get; init; } = [];

    /// <summary>The events of workers of the last ten minutes, the oldest first.</summary>
    public IReadOnlyList<WorkerEvent> Events { get; init; } = [];

    /// <summary>The crash reports that are kept, the newest first.</summary>
    public IReadOnlyList<CrashReportSummary> Reports { get; init; } = [];

    /// <summary>The thread pool is starved (events 4403 to 4405): since when; <c>null</c> while it is not.</summary>
    public DateTimeOffset? StarvedSince { get; init; }

    /// <summary>The operations that block threads while it is starved, <c>Service/Operation</c>, and how many threads each; the most first.</summary>
    public IReadOnlyList<(string Operation, int Threads)> Blocking { get; init; } = [];

    /// <summary>The calls since the last look that blocked a thread of the thread pool, by operation (events 4401 and 4402).</summary>
    public IReadOnlyList<(string Operation, long Calls)> BlockedCalls { get; init; } = [];
}
