using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>A promise in two runs; null in a run that does not have it.</summary>
internal sealed record PromiseChange(string Experiment, string Text, PromiseReport? Before, PromiseReport? After)
{
    public bool IsRatio => (After ?? Before)!.IsRatio;

    public bool IsMeasuredBefore => Before?.Value is not null;

    public bool IsMeasuredAfter => After?.Value is not null;

    /// <summary>
    /// Whether two runs cannot both be right about a ratio: no round of the one reaches into the rounds of the other, and their
    /// values are farther apart than either can tell.
    /// </summary>
    public bool Disagrees => IsRatio && Before is { Value: { } before } && After is { Value: { } after }
        && (Highest(Before) < Lowest(After) || Highest(After) < Lowest(Before))
        && Resolution.Distance(before, after) > Math.Max(Before.Resolution ?? 0, After.Resolution ?? 0);

    private static double? Lowest(PromiseReport promise) => promise.Low ?? promise.Value;

    private static double? Highest(PromiseReport promise) => promise.High ?? promise.Value;
}
