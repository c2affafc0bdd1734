using Weir.Execution.Observation.Findings;

namespace Weir.Execution.Observation.Records;

/// <summary>An application as people see it at one moment. Lists are cut, totals are not.</summary>
internal sealed record ApplicationReading
{
    /// <summary>The application's name.</summary>
    public required string Name { get; init; }

    /// <summary>The host's process id.</summary>
    public required int ProcessId { get; init; }

    /// <summary>The moment.</summary>
    public required DateTimeOffset Now { get; init; }

    /// <summary>When recording began.</summary>
    public required DateTimeOffset Began { get; init; }

    /// <summary>The findings in effect, the worst first.</summary>
    public required IReadOnlyList<Finding> Findings { get; init; }

    /// <summary>How many there are.</summary>
    public int FindingCount { get; init; }

    /// <summary>When the last finding was raised or cleared; <c>null</c> where there was none.</summary>
    public DateTimeOffset? FindingsChangedAt { get; init; }

    /// <summary>The pools and the lane: those with findings first, then by their calls.</summary>
    public required IReadOnlyList<PoolRow> Pools { get; init; }

    /// <summary>How many there are.</summary>
    public required int PoolCount { get; init; }

    /// <summary>The operations that were called, those with the most calls of the last minute first.</summary>
    public required IReadOnlyList<OperationRow> Operations { get; init; }

    /// <summary>How many there are.</summary>
    public required int OperationCount { get; init; }

    /// <summary>The calls that run and wait, the longest first.</summary>
    public required IReadOnlyList<RunningCallReading> Calls { get; init; }

    /// <summary>How many there are.</summary>
    public required int CallCount { get; init; }

    /// <summary>The last crash reports, the newest first.</summary>
    public required IReadOnlyList<CrashReportSummary> Reports { get; init; }

    /// <summary>What packages add that the core does not know.</summary>
    public IReadOnlyList<IPartReading> Parts { get; init; } = [];
}
