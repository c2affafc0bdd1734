using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>One experiment of a written run.</summary>
internal sealed record ExperimentReport(string Name, string Question, string? Document, double Seconds)
{
    public required IReadOnlyList<Row> Rows { get; init; }

    public required IReadOnlyList<MissingReport> Missing { get; init; }

    public required IReadOnlyList<LaterReport> Later { get; init; }

    public required IReadOnlyList<FailedReport> Failed { get; init; }

    public required IReadOnlyList<PromiseReport> Promises { get; init; }

    public required IReadOnlyList<TimelineReport> Timelines { get; init; }

    /// <summary>What this run did not measure because it was a quick one, or null.</summary>
    public string? LeftOut { get; init; }

    /// <summary>What contenders run on, by their names.</summary>
    public IReadOnlyDictionary<string, string> Runtimes { get; init; } = new Dictionary<string, string>();

    public static ExperimentReport Of(ExperimentResult result, double resolution) => new(result.Name, result.Question, result.Document, result.Seconds)
    {
        Rows = result.Rows,
        LeftOut = result.LeftOut,
        Runtimes = result.Runtimes,
        Missing = [.. result.Missing.Select(item => new MissingReport(item.Contender, item.Reason))],
        Later = [.. result.Later.Select(item => new LaterReport(item.Contender, item.Reason))],
        Failed = [.. result.Failed.Select(item => new FailedReport(item.Contender, item.Case, item.Reason))],
        Promises = [.. result.Promises.Select(promise => PromiseReport.Of(promise, resolution))],
        Timelines = [.. result.Timelines.Select(timeline => new TimelineReport(timeline.Contender, timeline.Case, timeline.Events))],
    };

    internal sealed record MissingReport(string Contender, string Install);

    internal sealed record LaterReport(string Contender, string Why);

    internal sealed record FailedReport(string Contender, string Case, string Error);

    internal sealed record TimelineReport(string Contender, string Case, IReadOnlyList<TimelineEvent> Events);
}
