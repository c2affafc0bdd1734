namespace Weir.Lab.Engine;

/// <summary>Something Weir promises, and what was measured.</summary>
/// <remarks>The value is null when a contender it needs was not measured: then it does not hold.</remarks>
internal sealed record Promise(PromiseKind Kind, string Text, double? Value, Relation Relation, double Limit)
{
    public static Promise Count(string text, double? value, Relation relation, double limit) =>
        new(PromiseKind.Count, text, value, relation, limit);

    public static Promise Latency(string text, double? milliseconds, double limit) =>
        new(PromiseKind.Latency, text, milliseconds, Relation.AtMost, limit);

    public static Promise Ratio(string text, double? value, double? against, Relation relation, double limit) =>
        new(PromiseKind.Ratio, text, value / against, relation, limit);

    public bool Holds => Value is { } value && Relation switch
    {
        Relation.AtMost => value <= Limit,
        Relation.AtLeast => value >= Limit,
        _ => value == Limit,
    };

    /// <summary>Whether a ratio is so near its limit that the next run may decide otherwise.</summary>
    public bool IsClose(double resolution) => Kind == PromiseKind.Ratio && IsClose(Value, Limit, resolution);

    /// <summary>The same for figures that were read back.</summary>
    public static bool IsClose(double? value, double limit, double resolution) =>
        value is { } measured && Math.Abs(measured / limit - 1) <= resolution;
}
