using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>What changed between two runs by more than they can tell apart, and which of their promises disagree.</summary>
/// <remarks>Only experiments that both runs have are looked into.</remarks>
internal sealed class Comparison
{
    public Comparison(RunReport before, RunReport after)
    {
        Resolution = Math.Max(before.Resolution, after.Resolution);
        OnlyBefore = Names(before).Except(Names(after)).ToArray();
        OnlyAfter = Names(after).Except(Names(before)).ToArray();
        Changes = [.. Rows(before).Join(Rows(after), Key, Key, (a, b) => new Change(a.Experiment, a.Row, b.Row))
            .Where(change => Engine.Resolution.Distance(change.Before.Value, change.After.Value) > Resolution)];

        var (mine, other) = (PromisesOf(before, OnlyBefore), PromisesOf(after, OnlyAfter));
        Promises =
        [
            .. from key in mine.Keys.Union(other.Keys)
               select new PromiseChange(key.Experiment, key.Text, mine.GetValueOrDefault(key), other.GetValueOrDefault(key)),
        ];
    }

    public double Resolution { get; }

    /// <summary>Experiments that only the first run has.</summary>
    public IReadOnlyList<string> OnlyBefore { get; }

    /// <summary>Experiments that only the second run has.</summary>
    public IReadOnlyList<string> OnlyAfter { get; }

    public IReadOnlyList<Change> Changes { get; }

    /// <summary>Every promise of the experiments that both runs have.</summary>
    public IReadOnlyList<PromiseChange> Promises { get; }

    public IEnumerable<PromiseChange> Ratios => Promises.Where(promise => promise.IsRatio);

    /// <summary>Promises that held and hold no more.</summary>
    public IEnumerable<PromiseChange> Broken => Promises.Where(promise => promise is { Before.Holds: true, After.Holds: false });

    /// <summary>Ratios that the two runs do not agree about.</summary>
    public IEnumerable<PromiseChange> Disagreeing => Ratios.Where(ratio => ratio.Disagrees);

    private static IEnumerable<string> Names(RunReport report) => report.Experiments.Select(experiment => experiment.Name);

    private static IEnumerable<(string Experiment, Row Row)> Rows(RunReport report) =>
        from experiment in report.Experiments
        from row in experiment.Rows
        where !row.IsPublished
        select (experiment.Name, row);

    // As they are on a machine of the run's resolution: a file may be older than what is computed from it.
    private static Dictionary<(string Experiment, string Text), PromiseReport> PromisesOf(RunReport report, IReadOnlyList<string> without) =>
        (from experiment in report.Experiments
         where !without.Contains(experiment.Name)
         from promise in experiment.Promises
         select (Key: (experiment.Name, promise.Text), Promise: promise.At(report.Resolution)))
        .DistinctBy(item => item.Key).ToDictionary(item => item.Key, item => item.Promise);

    private static (string, string, string, string) Key((string Experiment, Row Row) item) =>
        (item.Experiment, item.Row.Case, item.Row.Contender, item.Row.Metric);

    internal sealed record Change(string Experiment, Row Before, Row After)
    {
        public double Factor => After.Value / Before.Value;

        /// <summary>Whether the rounds of the two runs overlap: then the difference may be chance all the same.</summary>
        public bool Overlaps => Before.Low <= After.High && After.Low <= Before.High;
    }
}
