using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What an application pays for jobs that it does not have.</summary>
internal sealed class JobsUnused : Experiment
{
    private const string Calls = "direct calls from code";
    private const string Unused = "weir without AddWeirJobs";
    private const string Used = "weir with AddWeirJobs";
    private const string WithJob = "bytes of a call with [Job]";
    private const string Without = "bytes of a call without";

    public override string Name => "jobs-unused";

    public override string Question => "An application that refers to Weir.Jobs and does not call AddWeirJobs: what is loaded, and what does a direct call allocate?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(3, 3, 6));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var request = new ControlLine("run").With("what", "calls").With("count", scale.Pick(500, 2_000, 10_000));
        yield return new Case(Calls,
        [
            new HostedContender(Unused, ProgramLaunch.OfJobs("store=none")) { Request = request },
            new HostedContender(Used, ProgramLaunch.OfJobs("store=memory")) { Request = request },
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count("without AddWeirJobs no assembly of jobs is loaded", measured[Unused, Calls, "assemblies of jobs"], Relation.Exactly, 0);
        yield return Promise.Count("without AddWeirJobs [Job] adds nothing to the bytes of a direct call", measured[Unused, Calls, WithJob] - measured[Unused, Calls, Without], Relation.AtMost, 0);
        yield return Promise.Count("with AddWeirJobs [Job] adds nothing to the bytes of a direct call", measured[Used, Calls, WithJob] - measured[Used, Calls, Without], Relation.AtMost, 0);
    }
}
