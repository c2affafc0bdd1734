using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>A bound that a report must keep, such as <c>p99&lt;50ms</c>.</summary>
internal sealed class Assertion
{
    private static readonly string[] Comparisons = ["<=", ">=", "<", ">", "="];

    private readonly AssertionMetric _metric;
    private readonly string _comparison;
    private readonly double _bound;
    private readonly bool _isShare;

    private Assertion(string text, AssertionMetric metric, string comparison, double bound, bool isShare)
    {
        Text = text;
        _metric = metric;
        _comparison = comparison;
        _bound = bound;
        _isShare = isShare;
    }

    /// <summary>As it was typed.</summary>
    public string Text { get; }

    /// <summary>Reads assertions that are separated by commas.</summary>
    /// <exception cref="InputException">One cannot be read.</exception>
    public static IEnumerable<Assertion> ParseAll(IEnumerable<string> texts) => texts.SelectMany(static text => text.Split(',')).Select(static text => Parse(text.Trim()));

    /// <summary>The value of the report, in milliseconds, requests, percent or requests per second.</summary>
    public double Actual(LoadReport report) =>
        _isShare ? report.Requests == 0 ? 0 : 100.0 * report.Errors / report.Requests : _metric.Read(report);

    /// <summary>Why it does not hold; <c>null</c> if it holds.</summary>
    public string? Refute(LoadReport report)
    {
        if (_metric.Kind == MetricKind.Time && report.ResponseTime.Count == 0)
        {
            return "no request was answered";
        }

        var actual = Actual(report);
        var holds = _comparison switch
        {
            "<" => actual < _bound,
            "<=" => actual <= _bound,
            ">" => actual > _bound,
            ">=" => actual >= _bound,
            _ => actual == _bound,
        };
        return holds ? null : $"{_metric.Name} is {Shown(actual)}, {Shown(Math.Abs(actual - _bound))} {(actual >= _bound ? "above" : "below")} {Shown(_bound)}";
    }

    private static Assertion Parse(string text)
    {
        var comparison = Comparisons.FirstOrDefault(one => text.Contains(one, StringComparison.Ordinal));
        var parts = comparison is null ? [] : text.Split(comparison, 2, StringSplitOptions.TrimEntries);
        if (parts is not [var name, var value] || AssertionMetric.All.FirstOrDefault(metric => metric.Name == name) is not { } metric)
        {
            throw Wrong(text, $"write one of {string.Join(", ", AssertionMetric.All.Select(static metric => metric.Name))}, one of {string.Join(' ', Comparisons)}, and a value, such as 'p99<50ms' or 'errors=0'");
        }

        var isShare = metric.Kind == MetricKind.Errors && value.EndsWith('%');
        var bound = metric.Kind == MetricKind.Time ? Milliseconds(value) : Number(isShare ? value[..^1] : value);
        return bound is { } number
            ? new Assertion(text, metric, comparison!, number, isShare)
            : throw Wrong(text, metric.Kind switch
            {
                MetricKind.Time => "give a time with its unit: us, ms or s",
                MetricKind.Errors => "give a number of requests, or a share such as 1%",
                _ => "give a number of requests per second",
            });
    }

    private static double? Milliseconds(string text) =>
        text.EndsWith("us", StringComparison.Ordinal) ? Number(text[..^2]) / 1000
        : text.EndsWith("ms", StringComparison.Ordinal) ? Number(text[..^2])
        : text.EndsWith('s') ? Number(text[..^1]) * 1000
        : null;

    private static double? Number(string text) => double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number) ? number : null;

    private static InputException Wrong(string text, string choice) => new($"--assert is '{text}'; {choice}.");

    private string Shown(double value) => (_metric.Kind, _isShare) switch
    {
        (MetricKind.Time, _) => Durations.Milliseconds(value),
        (_, true) => string.Create(CultureInfo.InvariantCulture, $"{value:0.###}%"),
        (MetricKind.Rate, _) => string.Create(CultureInfo.InvariantCulture, $"{value:0.#} requests/s"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{value:0.#}"),
    };
}
