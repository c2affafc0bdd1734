namespace Weir.Lab.Engine;

/// <summary>Something Weir promises, and what was measured.</summary>
/// <remarks>What was not measured in every round does not hold.</remarks>
internal sealed record Promise(PromiseKind Kind, string Text, Series Readings, Relation Relation, double Limit)
{
    /// <summary>Decided by the worst round: noise loses no call.</summary>
    public static Promise Count(string text, Series readings, Relation relation, double limit) =>
        new(PromiseKind.Count, text, readings, relation, limit);

    /// <summary>Decided by the median of the rounds: a machine that stands still for a moment delays every contender.</summary>
    public static Promise Latency(string text, Series milliseconds, double limit) => Latency(text, milliseconds, Relation.AtMost, limit);

    /// <summary>The same for a latency that must be seen: what is measured of a server that stands still for so long.</summary>
    public static Promise Latency(string text, Series milliseconds, Relation relation, double limit) =>
        new(PromiseKind.Latency, text, milliseconds, relation, limit);

    /// <summary>Decided by the median of the quotients of rounds that ran beside each other.</summary>
    public static Promise Ratio(string text, Series readings, Series against, Relation relation, double limit) =>
        Ratio(text, readings.Over(against), relation, limit);

    /// <summary>The same for readings that are quotients already: of what a contender measured twice within a round.</summary>
    public static Promise Ratio(string text, Series quotients, Relation relation, double limit) =>
        new(PromiseKind.Ratio, text, quotients, relation, limit);

    /// <summary>What decides; null when it was not measured in every round.</summary>
    public double? Value => Kind == PromiseKind.Count ? Readings.Worst(Relation, Limit) : Readings.Summary?.Median;

    public bool Holds => Value is { } value && Relation switch
    {
        Relation.AtMost => value <= Limit,
        Relation.AtLeast => value >= Limit,
        _ => value == Limit,
    };
}
