using Weir.Jobs.Rules;
using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Jobs.Simulation;

/// <summary>What must hold of jobs, checked against what really happened.</summary>
internal static class JobOracle
{
    public static void Holds(bool holds, string rule, string detail)
    {
        if (!holds)
        {
            throw new SimulationFault(rule, detail);
        }
    }

    /// <summary>The code of an attempt begins.</summary>
    public static void Begins(SimulatedJob job, DateTimeOffset now)
    {
        var (failures, crashes, losses) = job.Counted;
        Holds(job.Kind.IsIdempotent || !job.IsUnknown, "a job whose end is not known runs once unless it is idempotent", $"{job}");
        Holds(!job.IsCancelled, "a job that was cancelled while it waited does not run", $"{job}");
        Holds(failures < job.Kind.Attempts, "a job is tried as often as its kind says", $"{job}: {failures} failures");
        Holds(crashes < job.Kind.MostCrashes, "a job that ends its workers ends", $"{job}: {crashes} crashes");
        Holds(losses < job.Kind.MostLosses, "a job whose replicas are lost ends", $"{job}: {losses} losses");
        Holds(now >= job.Earliest, "the next attempt follows after a pause", $"{job} at {now:O}, not before {job.Earliest:O}");
    }

    /// <summary>An attempt reports its outcome.</summary>
    /// <param name="job">The job; its row is the one afterwards.</param>
    /// <param name="before">The row before.</param>
    /// <param name="happened">The outcome.</param>
    /// <param name="fence">The attempt.</param>
    public static void Reports(SimulatedJob job, in JobStatus before, JobEvent happened, long fence)
    {
        var isFirst = job.Reported.Add(fence);
        var isCurrent = fence == before.Fence;
        Holds(isCurrent || job.Row == before, "what an earlier attempt reports changes nothing", $"{job}: {happened} of {fence}, {before.Fence} is current");
        Holds(isFirst || job.Row == before, "an attempt has one outcome", $"{job}: {happened} of {fence} again");
        var mayCount = isFirst && isCurrent && (!before.HasEnded || before is { State: JobState.Failed, Reason: JobReason.Lost });
        Holds(!mayCount || happened != JobEvent.Succeeded || job.Row.State == JobState.Succeeded, "a success is kept", $"{job}: {before.State} became {job.Row.State}");
        Holds(
            !before.HasEnded || job.Row == before || before is { State: JobState.Failed, Reason: JobReason.Lost }, "an ended job stays as it is",
            $"{job}: {before.State} became {job.Row.State}");
    }
}
