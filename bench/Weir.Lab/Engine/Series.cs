namespace Weir.Lab.Engine;

/// <summary>What a contender measured of one metric, round by round; or a figure that is given and stands beside every round.</summary>
/// <remarks>A series with a gap decides nothing: what is computed from it is not measured.</remarks>
internal sealed class Series
{
    // Null in a round that did not have the metric. Of a given figure the only one.
    private readonly double?[] _rounds;

    // Null for a given figure.
    private readonly string? _case;

    private Series(string? @case, IEnumerable<double?> rounds, int? count = null)
    {
        (_case, _rounds) = (@case, [.. rounds]);
        Count = count ?? _rounds.Length;
    }

    /// <summary>It was not measured.</summary>
    public static Series None { get; } = new("", []);

    /// <summary>From how many rounds it comes; one for a given figure.</summary>
    public int Count { get; }

    /// <summary>Whether there is at least one round, and every round has a reading.</summary>
    public bool IsMeasured => _rounds.Length > 0 && _rounds.All(value => value is not null);

    /// <summary>Median, lowest and highest; null when it was not measured in every round.</summary>
    public Summary? Summary => IsMeasured ? Engine.Summary.Of(Values) : null;

    private IEnumerable<double> Values => _rounds.Select(value => value!.Value);

    /// <summary>The readings of the rounds of a case.</summary>
    public static Series Of(string @case, params IEnumerable<double?> rounds) => new(@case, rounds);

    /// <summary>A figure that was not measured by rounds: a bound, or the document's.</summary>
    public static Series Given(double value) => new(null, [value]);

    /// <summary>The series of a row.</summary>
    public static Series Of(Row row) => row.Rounds is null ? Given(row.Value) : new Series(row.Case, row.Rounds);

    /// <summary>One series after the other, as if they were rounds of one case; with a gap where any of them was not measured.</summary>
    public static Series Together(string @case, IReadOnlyCollection<Series> parts) =>
        parts.Count > 0 && parts.All(part => part.IsMeasured) ? new Series(@case, parts.SelectMany(part => part._rounds)) : None;

    /// <summary>Round by round; both of the same case.</summary>
    public static Series operator +(Series left, Series right) => left.Paired(right, (a, b) => a + b);

    /// <summary>Round by round; both of the same case.</summary>
    public static Series operator -(Series left, Series right) => left.Paired(right, (a, b) => a - b);

    /// <summary>
    /// The round that is worst for a promise: the highest of what may be at most so much, the lowest of what must be at least so
    /// much, the one farthest from what must be exactly so much. Null when it was not measured in every round.
    /// </summary>
    public double? Worst(Relation relation, double limit) => !IsMeasured ? null : relation switch
    {
        Relation.AtMost => Values.Max(),
        Relation.AtLeast => Values.Min(),
        _ => Values.MaxBy(value => Math.Abs(value - limit)),
    };

    /// <summary>
    /// Quotients of rounds that ran beside each other: a disturbance of the machine affects both, and cancels out. Rounds of different
    /// cases have no such neighbour: there every round is set against every round of the other. None where either was not
    /// measured in every round, where a divisor is zero, or where a reading is negative.
    /// </summary>
    public Series Over(Series other)
    {
        if (!IsMeasured || !other.IsMeasured || Values.Any(value => value < 0) || other.Values.Any(value => value <= 0))
            return None;

        return IsBeside(other)
            ? Paired(other, (a, b) => a / b)
            : new Series($"{_case} ÷ {other._case}", Values.SelectMany(_ => other.Values, (a, b) => (double?)(a / b)), Math.Min(Count, other.Count));
    }

    /// <summary>The medians of all so many neighbouring rounds, or of all rounds where there are fewer; there must be one.</summary>
    public IEnumerable<double> MediansOf(int neighbours) =>
        Enumerable.Range(0, Math.Max(1, Count - neighbours + 1)).Select(first => Engine.Summary.Of(Values.Skip(first).Take(neighbours)).Median);

    private bool IsBeside(Series other) => _case is null || other._case is null || _case == other._case;

    private Series Paired(Series other, Func<double, double, double> combine)
    {
        if (!IsMeasured || !other.IsMeasured)
            return None;
        if (!IsBeside(other))
            throw new ArgumentException($"Rounds of '{_case}' do not belong to rounds of '{other._case}'.", nameof(other));
        if (_case is null)
            return new Series(other._case, other.Values.Select(value => (double?)combine(_rounds[0]!.Value, value)));
        if (other._case is null)
            return new Series(_case, Values.Select(value => (double?)combine(value, other._rounds[0]!.Value)));

        return Count == other.Count
            ? new Series(_case, Values.Zip(other.Values, (a, b) => (double?)combine(a, b)))
            : throw new ArgumentException($"'{_case}' has {Count} rounds on one side and {other.Count} on the other.", nameof(other));
    }
}
