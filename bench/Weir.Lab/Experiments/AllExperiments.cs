using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>Every experiment, in the order of the documents.</summary>
internal static class AllExperiments
{
    private const string Everything = "all";

    public static IReadOnlyList<Experiment> List { get; } =
    [
        new StreamingTtfb(),
        new StreamingAbort(),
        new StreamingMemory(),
        new StreamingFormats(),
        new StreamingParse(),
        new SlowReaders(),
        new HttpAbuse(),
        new BlockingWeb(),
        new BlockingInProcess(),
        new BlockingNeighbour(),
        new FanOut(),
        new FanOutMillion(),
        new LoadTool(),
        new IsolationStart(),
        new IsolationTasks(),
        new PoolThroughput(),
        new PoolAutoscale(),
        new PoolControls(),
        new PoolPriority(),
        new RareKinds(),
        new BadNeighbours(),
        new PoolChaos(),
        new PoolGoals(),
        new WorkerFiles(),
        new JobsThroughput(),
        new JobsLatency(),
        new JobsRecover(),
        new JobsFair(),
        new JobsChaos(),
        new JobsIdle(),
        new JobsPressure(),
        new JobsUnused(),
        new JobsItems(),
        new DashboardCost(),
        new Frameworks(),
        new Clients(),
        new SyncAsyncWrite(),
        new Startup(),
        new PublishSize(),
        new BuildTime(),
        new Publishing(),
    ];

    /// <summary>The named ones in the order of the list; <c>all</c> is all of them.</summary>
    public static IReadOnlyList<Experiment> Named(IReadOnlyCollection<string> names) =>
        names.Contains(Everything) ? List : [.. List.Where(experiment => names.Contains(experiment.Name))];

    /// <summary>Names that are none.</summary>
    public static IEnumerable<string> Unknown(IEnumerable<string> names) =>
        names.Except([Everything, .. List.Select(experiment => experiment.Name)]);
}
