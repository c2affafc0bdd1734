using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>A promise of a written run.</summary>
/// <remarks>Of a count the value is the worst round, of a latency the median round, of a ratio the median of its rounds' quotients.</remarks>
internal sealed record PromiseReport(string Text, double? Value, double Limit, string Relation, bool Holds, string Kind, bool Close)
{
    private const string Ratio = "ratio";
    private const string Latency = "latency";

    /// <summary>The lowest round, or the lowest quotient of rounds; null when it was not measured.</summary>
    public double? Low { get; init; }

    /// <summary>The highest round, or the highest quotient of rounds; null when it was not measured.</summary>
    public double? High { get; init; }

    /// <summary>From how many rounds it comes; null when it was not measured.</summary>
    public int? Rounds { get; init; }

    /// <summary>Of a ratio that was measured: the smallest relative difference that it can tell apart.</summary>
    public double? Resolution { get; init; }

    public bool IsRatio => Kind == Ratio;

    public static PromiseReport Of(Promise promise, double resolution) => new PromiseReport(
        promise.Text,
        promise.Value,
        promise.Limit,
        promise.Relation switch
        {
            Engine.Relation.AtMost => "<=",
            Engine.Relation.AtLeast => ">=",
            _ => "==",
        },
        promise.Holds,
        promise.Kind switch
        {
            PromiseKind.Count => "count",
            PromiseKind.Ratio => Ratio,
            _ => Latency,
        },
        Close: false)
    {
        Low = promise.Readings.Summary?.Low,
        High = promise.Readings.Summary?.High,
        Rounds = promise.Readings.IsMeasured ? promise.Readings.Count : null,
    }.At(resolution);

    /// <summary>The same promise on a machine of this resolution.</summary>
    public PromiseReport At(double resolution)
    {
        if (Value is not { } value)
            return this;

        var (low, high) = (Low ?? value, High ?? value);
        double? own = IsRatio ? Engine.Resolution.OfRatio(resolution, low, high, Rounds ?? 1) : null;
        return this with
        {
            Resolution = own,
            Close = Kind switch
            {
                Ratio => (low <= Limit && Limit <= high) || Engine.Resolution.Distance(value, Limit) <= own,
                Latency => low <= Limit && Limit < high,
                _ => false,
            },
        };
    }
}
