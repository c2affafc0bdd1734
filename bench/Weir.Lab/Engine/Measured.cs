namespace Weir.Lab.Engine;

/// <summary>The rows of an experiment, for promises to look into.</summary>
internal sealed class Measured(IReadOnlyList<Row> rows)
{
    public IReadOnlyList<Row> Rows { get; } = rows;

    /// <summary>The median of a metric, or null when it was not measured.</summary>
    public double? this[string contender, string @case, string metric] =>
        Rows.FirstOrDefault(row => row.Contender == contender && row.Case == @case && row.Metric == metric)?.Value;

    /// <summary>The largest median of a metric over all cases, or null when none was measured.</summary>
    public double? Largest(string contender, string metric) => Values(contender, metric).Select(value => (double?)value).Max();

    /// <summary>The highest single round of a metric over all cases, or null when none was measured.</summary>
    public double? Highest(string contender, string metric) =>
        Rows.Where(row => row.Contender == contender && row.Metric == metric).Select(row => (double?)row.High).Max();

    /// <summary>The sum of a metric's medians over all cases, or null when none was measured.</summary>
    public double? Sum(string contender, string metric)
    {
        var values = Values(contender, metric).ToArray();
        return values.Length == 0 ? null : values.Sum();
    }

    private IEnumerable<double> Values(string contender, string metric) =>
        Rows.Where(row => row.Contender == contender && row.Metric == metric).Select(row => row.Value);
}
