namespace Weir.Lab.Engine;

/// <summary>Runs an experiment's cases one after the other and weighs its promises.</summary>
internal sealed class ExperimentRun(TimeProvider time, IRunObserver observer, Scale scale)
{
    private readonly RoundScheduler _scheduler = new(time, observer);

    /// <summary>Only contenders of these names run; all when empty.</summary>
    public IReadOnlyCollection<string> Only { get; init; } = [];

    public async Task<ExperimentResult> RunAsync(Experiment experiment, CancellationToken cancellation)
    {
        observer.ExperimentStarted(experiment);
        var started = time.GetTimestamp();
        var results = new List<CaseResult>();
        Case[] cases = [.. experiment.Cases(scale)];
        try
        {
            foreach (var @case in cases.Select(Narrow).Where(@case => @case.Contenders.Count > 0))
                results.Add(await _scheduler.RunAsync(@case, cancellation));
        }
        finally
        {
            foreach (var shared in cases.Select(@case => @case.Shared).OfType<IAsyncDisposable>().Distinct())
                await shared.DisposeAsync();
        }

        Row[] rows = [.. results.SelectMany(result => result.Rows)];
        var result = new ExperimentResult(experiment.Name, experiment.Question, experiment.Document, time.GetElapsedTime(started).TotalSeconds)
        {
            Rows = rows,
            LeftOut = scale == Scale.Quick ? experiment.QuickLeavesOut : null,
            Missing = [.. results.SelectMany(result => result.Missing).Distinct()],
            Later = [.. results.SelectMany(result => result.Later).Distinct()],
            Failed = [.. results.SelectMany(result => result.Failed)],
            Timelines = [.. results.SelectMany(result => result.Timelines)],
            Runtimes = results.SelectMany(result => result.Runtimes).DistinctBy(pair => pair.Key).ToDictionary(),
            Promises = [.. experiment.Promises(new Measured(rows, cases), scale)],
        };
        observer.ExperimentEnded(result);
        return result;
    }

    private Case Narrow(Case @case) =>
        Only.Count == 0 ? @case : @case with { Contenders = [.. @case.Contenders.Where(contender => Only.Contains(contender.Name))] };
}
