namespace Weir.Lab.Engine;

/// <summary>What the cases of an experiment gave, for promises to look into.</summary>
/// <param name="rows">What was measured and given.</param>
/// <param name="cases">All cases, also those of which nothing was measured: a promise about them must not vanish.</param>
internal sealed class Measured(IReadOnlyList<Row> rows, IReadOnlyList<Case> cases)
{
    /// <summary>A metric of a contender in a case; <see cref="Series.None"/> when it was not measured.</summary>
    public Series this[string contender, string @case, string metric] =>
        rows.FirstOrDefault(row => row.Contender == contender && row.Case == @case && row.Metric == metric) is { } row ? Series.Of(row) : Series.None;

    /// <summary>The cases a contender takes part in, whether or not it came through.</summary>
    public IEnumerable<string> CasesOf(string contender) =>
        from @case in cases
        where @case.Contenders.Any(other => other.Name == contender)
        select @case.Name;

    /// <summary>All rounds of a contender in all its cases; not measured when one of them did not have the metric.</summary>
    public Series Everywhere(string contender, string metric) =>
        Series.Together("every case", [.. CasesOf(contender).Select(@case => this[contender, @case, metric])]);
}
