using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Content of any length in workers: how fast it goes, how much memory it takes, what becomes of it when it is cut; a file that all workers share; and what calls that hang leave behind.</summary>
internal sealed class WorkerFiles : Experiment
{
    public override string Name => "worker-files";

    public override string Question =>
        "Large content up, through a worker and down again: how fast beside the same inline and a temp file by hand, in how much memory, does it stop for a slow end, does it ever look complete when it was cut; and what does a file cost that eight workers share; and where was a call that hung?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(14, 15, 500));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        // Where bytes and outcomes are counted one process does all.
        var shared = new SharedProcesses();
        return
        [
            FileTransfers.Case(scale),
            FilesStandingStill.Case(scale, shared),
            .. FileCuts.Cases(scale, shared),
            SharedModels.Case(scale),
            HungCalls.Case(scale),
        ];
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale) =>
    [
        .. FileTransfers.Promises(measured, scale),
        .. FilesStandingStill.Promises(measured),
        .. FileCuts.Promises(measured, scale),
        .. SharedModels.Promises(measured, scale),
        .. HungCalls.Promises(measured, scale),
    ];
}
