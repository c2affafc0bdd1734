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

    /// <summary>The smallest relative difference the machine could tell apart, at the beginning or at the end, whichever was coarser.</summary>
    public required double Resolution { get; init; }

    public required IReadOnlyList<ExperimentReport> Experiments { get; init; }

    /// <summary>How busy the machine was when the run ended; 0 while it runs.</summary>
    public double LoadAfter { get; init; }

    /// <summary>The same run on a machine that turned out to be coarser at its end.</summary>
    public RunReport At(double resolution) => resolution <= Resolution
        ? this
        : this with
        {
            Resolution = resolution,
            Experiments = [.. Experiments.Select(experiment => experiment with { Promises = [.. experiment.Promises.Select(promise => promise.At(resolution))] })],
        };
}
