using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>What changed between two runs by more than both machines can tell apart.</summary>
internal sealed class Comparison
{
    public Comparison(RunReport before, RunReport after)
    {
        Resolution = Math.Max(before.Resolution, after.Resolution);
        Changes = [.. Rows(before).Join(Rows(after), Key, Key, (a, b) => new Change(a.Experiment, a.Row, b.Row))
            .Where(change => Math.Abs(change.Factor - 1) > Resolution)];
        Promises = [.. PromisesOf(before).Join(PromisesOf(after), Key, Key, (a, b) => new PromiseChange(a.Experiment, a.Promise, b.Promise))];
    }

    public double Resolution { get; }

    public IReadOnlyList<Change> Changes { get; }

    /// <summary>Every promise that both runs have.</summary>
    public IReadOnlyList<PromiseChange> Promises { get; }

    /// <summary>Promises that held and hold no more.</summary>
    public IEnumerable<PromiseChange> Broken => Promises.Where(promise => promise.Before.Holds && !promise.After.Holds);

    /// <summary>Ratios that the two runs do not agree about.</summary>
    public IEnumerable<PromiseChange> Disagreeing =>
        Promises.Where(promise => promise.Before.Kind == "ratio" && promise.Factor is { } factor && Math.Abs(factor - 1) > Resolution);

    private static IEnumerable<(string Experiment, Row Row)> Rows(RunReport report) =>
        from experiment in report.Experiments
        from row in experiment.Rows
        where row.Value != 0 && !row.IsPublished
        select (experiment.Name, row);

    private static IEnumerable<(string Experiment, PromiseReport Promise)> PromisesOf(RunReport report) =>
        from experiment in report.Experiments
        from promise in experiment.Promises
        select (experiment.Name, promise);

    private static (string, string, string, string) Key((string Experiment, Row Row) item) =>
        (item.Experiment, item.Row.Case, item.Row.Contender, item.Row.Metric);

    private static (string, string) Key((string Experiment, PromiseReport Promise) item) => (item.Experiment, item.Promise.Text);

    internal sealed record Change(string Experiment, Row Before, Row After)
    {
        public double Factor => After.Value / Before.Value;

        /// <summary>Whether the rounds of the two runs overlap: then the difference may be chance all the same.</summary>
        public bool Overlaps => Before.Low <= After.High && After.Low <= Before.High;
    }

    internal sealed record PromiseChange(string Experiment, PromiseReport Before, PromiseReport After)
    {
        /// <summary>Null when one of them was not measured.</summary>
        public double? Factor => After.Value / Before.Value;
    }
}
