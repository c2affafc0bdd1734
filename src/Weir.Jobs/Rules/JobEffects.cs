namespace Weir.Jobs.Rules;

/// <summary>What a store writes besides the status of a job.</summary>
internal static class JobEffects
{
    /// <summary>Whether an attempt ended here without success: it is kept, with what the event brings.</summary>
    public static bool EndsAttempt(JobEvent happened, in JobChange change) =>
        change.Verdict is (JobVerdict.Applied or JobVerdict.Late) && happened is
            JobEvent.Threw or JobEvent.Answered or JobEvent.AskedForRetry or JobEvent.Crashed or JobEvent.OwnerLost or JobEvent.Quarantined or JobEvent.NotUnderstood or JobEvent.Drained;

    /// <summary>Whether what the event brings is the result.</summary>
    public static bool HasResult(JobEvent happened, in JobChange change) => happened == JobEvent.Succeeded && change.Verdict is (JobVerdict.Applied or JobVerdict.Late);

    /// <summary>Whether the job begins again from the beginning: items, progress, result and the end are dropped, and it counts as another run.</summary>
    public static bool BeginsAgain(JobEvent happened, in JobStatus before, in JobChange change) => happened == JobEvent.RetriedByHand && before.HasEnded && change.Verdict == JobVerdict.Applied;

    /// <summary>Whether it ends here. Also where a late outcome replaces the presumption that it was lost: that is when it ended.</summary>
    public static bool Ends(in JobStatus before, in JobChange change) => change.Status.HasEnded && (!before.HasEnded || change.Verdict == JobVerdict.Late);

    /// <summary>Whether it can be claimed from here on: it becomes ready, or it was and may have another key, which has room.</summary>
    public static bool BecomesReady(JobEvent happened, in JobStatus before, in JobChange change) =>
        change.Status.State == JobState.Ready && (before.State != JobState.Ready || happened == JobEvent.ArgumentsEdited);
}
