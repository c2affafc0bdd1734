namespace Weir.Cli.Load;

/// <summary>What an assertion is about: how it is read from a report, and what the values of an assertion are.</summary>
/// <param name="Name">As it is typed.</param>
/// <param name="Kind">Times have units, errors may be a share.</param>
/// <param name="Read">The value: milliseconds of response time, errors, or requests per second.</param>
internal sealed record AssertionMetric(string Name, MetricKind Kind, Func<LoadReport, double> Read)
{
    /// <summary>All of them.</summary>
    public static IReadOnlyList<AssertionMetric> All { get; } =
    [
        new("p50", MetricKind.Time, static report => report.ResponseTime.P50),
        new("p90", MetricKind.Time, static report => report.ResponseTime.P90),
        new("p99", MetricKind.Time, static report => report.ResponseTime.P99),
        new("p999", MetricKind.Time, static report => report.ResponseTime.P999),
        new("max", MetricKind.Time, static report => report.ResponseTime.Max),
        new("errors", MetricKind.Errors, static report => report.Errors),
        new("rate", MetricKind.Rate, static report => report.Rate),
    ];
}
