using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>Jobs over HTTP: items of a job that runs, submissions, waiters and cancels.</summary>
internal sealed class JobsItems : Experiment
{
    public override string Name => "jobs-items";

    public override string Question =>
        "Jobs over HTTP: how old is an item at a reader that is cut and continues, what is missed when the host is killed too, how soon is a 202, what does a waiter cost, and does a cancelled job end? Hangfire has no items of a job.";

    public override string? Document => null;

    public override string? QuickLeavesOut => PostgreSqlContenders.LeftOut;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(24, 16, 320));

    public override IEnumerable<Case> Cases(Scale scale) =>
    [
        JobItemAges.Case(scale),
        .. JobItemReplicas.Cases(scale),
        JobAccepts.Case(scale),
        JobWaiters.Case(scale),
        JobReaderCuts.Case(scale),
        JobCancels.Case(scale),
    ];

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale) =>
    [
        .. JobItemAges.Promises(measured, scale),
        .. JobItemReplicas.Promises(measured, scale),
        .. JobAccepts.Promises(measured),
        .. JobWaiters.Promises(measured, scale),
        .. JobReaderCuts.Promises(measured, scale),
        .. JobCancels.Promises(measured, scale),
    ];
}
