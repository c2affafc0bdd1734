using Weir.Lab.Measuring;

namespace Weir.Lab.Reporting;

/// <summary>A run as it is written: version 1 of the format. Members may be added, none renamed.</summary>
internal sealed record RunReport
{
    public int Schema { get; init; } = 1;

    public required Machine Machine { get; init; }

    public required string Commit { get; init; }

    public required string Command { get; init; }

    public required string Scale { get; init; }

    public required DateTimeOffset Started { get; init; }

    /// <summary>The smallest relative difference the machine could tell apart when the run began.</summary>
    public required double Resolution { get; init; }

    public required IReadOnlyList<ExperimentReport> Experiments { get; init; }
}
