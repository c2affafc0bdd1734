namespace Weir.Jobs.Rules;

/// <summary>
/// What becomes of a job: pure functions of (job, kind, event, moment), without clock, store or allocation. A store applies them to its rows in one
/// transaction with what the event brings. The table in <c>docs/job-states.md</c> says the same, and a test compares them.
/// </summary>
internal static class JobRules
{
    /// <summary>How often a job may ask to be run again.</summary>
    public const int MostAskedRetries = 1_000;

    /// <summary>How often a quarantine may refuse a job before that is its end.</summary>
    public const int MostRefusals = 3;

    /// <summary>The pause of a job whose arguments are not understood: a deployment may bring the version that understands them.</summary>
    public static readonly TimeSpan NotUnderstoodPause = TimeSpan.FromSeconds(30);

    /// <summary>How long it waits for that version in all.</summary>
    public static readonly TimeSpan LongestNotUnderstood = TimeSpan.FromMinutes(10);

    /// <summary>A job is accepted.</summary>
    public static JobStatus Accept(DateTimeOffset due, DateTimeOffset now) => new() { State = due > now ? JobState.Scheduled : JobState.Ready, Due = due };

    /// <summary>An event of a job.</summary>
    public static JobChange Decide(in JobStatus job, JobTraits kind, JobEvent happened, in JobMoment moment) => happened switch
    {
        JobEvent.Due => IsDue(job, moment) ? Applied(job with { State = JobState.Ready }) : NoChange(job),
        JobEvent.Claimed => job.State == JobState.Ready ? Applied(Claim(job)) : Refused(job),
        JobEvent.CancelAsked => Cancel(job),
        JobEvent.TimedOut => job is { State: JobState.Running, Stop: JobStop.None } ? Applied(job with { Stop = JobStop.Timeout }) : NoChange(job),
        JobEvent.Expired => job is { IsWaiting: true, Starts: 0 } ? Applied(job with { State = JobState.Expired }) : NoChange(job),
        JobEvent.RetriedByHand => RetryByHand(job, moment),
        JobEvent.ArgumentsEdited => job.State is JobState.Running or JobState.Succeeded ? Refused(job) : Applied(job),
        JobEvent.Purged => job.HasEnded ? new JobChange(job, JobVerdict.Gone) : Refused(job),
        JobEvent.ItemAppended => AppendItem(job, moment),
        _ => Report(job, kind, happened, moment),
    };

    /// <summary>The pause before the next attempt of a job that has failed so often.</summary>
    public static TimeSpan Backoff(JobTraits kind, int failures, double random)
    {
        // The power of a large number would be no time any more.
        var seconds = kind.Backoff.TotalSeconds * Math.Pow(4, Math.Min(failures - 1, 60));
        return TimeSpan.FromSeconds(Math.Min(seconds, kind.MaxBackoff.TotalSeconds) * (0.5 + (random / 2)));
    }

    // ---- events of its owner ----

    private static bool IsDue(in JobStatus job, in JobMoment moment) => job.State == JobState.Scheduled && job.Due <= moment.Now;

    private static JobStatus Claim(in JobStatus job) =>
        job with { State = JobState.Running, Stop = JobStop.None, Fence = job.Fence + 1, IsOpen = true, Starts = job.Starts + 1 };

    private static JobChange Cancel(in JobStatus job) => job switch
    {
        { IsWaiting: true } => Applied(Ended(job, JobState.Cancelled)),
        { State: JobState.Running, Stop: not JobStop.Cancel } => Applied(job with { Stop = JobStop.Cancel }),
        _ => NoChange(job),
    };

    private static JobChange RetryByHand(in JobStatus job, in JobMoment moment)
    {
        if (job.IsWaiting)
        {
            return Applied(job with { State = JobState.Ready, Due = moment.Now });
        }

        if (job.State == JobState.Running || (job.State != JobState.Succeeded && moment.IsKeyHeld))
        {
            return Refused(job);
        }

        // From the beginning: nothing that an earlier attempt still reports counts.
        return job.State == JobState.Succeeded
            ? new JobChange(job, JobVerdict.NewJob)
            : Applied(new JobStatus { State = JobState.Ready, Fence = job.Fence + 1, Due = moment.Now, Starts = job.Starts });
    }

    // ---- what an attempt reports ----

    private static JobChange AppendItem(in JobStatus job, in JobMoment moment) => job switch
    {
        _ when moment.Fence != job.Fence => Stale(job),
        { State: JobState.Running } => Applied(job),
        _ => Refused(job),
    };

    private static JobChange Report(in JobStatus job, JobTraits kind, JobEvent happened, in JobMoment moment)
    {
        if (moment.Fence != job.Fence || !job.IsOpen)
        {
            return Stale(job);
        }

        if (job.State == JobState.Running)
        {
            var after = End(job, kind, happened, moment);

            // That its replica is gone is a presumption: the attempt stays open until the next claim.
            return Applied(after with { IsOpen = happened == JobEvent.OwnerLost && (after.IsWaiting || after.Reason == JobReason.Lost) });
        }

        // Its replica was presumed to be gone. It was not: how the operation ended counts, what else the replica says of it does not.
        return happened is JobEvent.Succeeded or JobEvent.Threw or JobEvent.Answered || (happened == JobEvent.AskedForRetry && job.IsWaiting)
            ? new JobChange(EndLate(job, kind, happened, moment), JobVerdict.Late)
            : Stale(job);
    }

    // Of a running job. A cancellation that was asked for is its end, whatever else the attempt brings but success.
    private static JobStatus End(in JobStatus job, JobTraits kind, JobEvent happened, in JobMoment moment) => (happened, job.Stop) switch
    {
        (JobEvent.Succeeded, _) => Ended(job, JobState.Succeeded),
        (_, JobStop.Cancel) => Ended(job, JobState.Cancelled),
        (_, JobStop.Timeout) => kind.IsIdempotent ? Failed(job, kind, JobReason.Timeout, moment) : Ended(job, JobReason.Timeout),
        (JobEvent.Threw, _) => Failed(job, kind, JobReason.Exception, moment),
        (JobEvent.Answered, _) => Ended(job, JobReason.Exception),
        (JobEvent.AskedForRetry, _) => AskedForRetry(job, moment),
        (JobEvent.Crashed, _) => Again(job with { Crashes = job.Crashes + 1 }, kind.IsIdempotent && job.Crashes + 1 < kind.MostCrashes, JobReason.Crashed, moment),
        (JobEvent.OwnerLost, _) => Again(job with { Losses = job.Losses + 1 }, kind.IsIdempotent && job.Losses + 1 < kind.MostLosses, JobReason.Lost, moment),
        (JobEvent.Drained, _) => Again(job, kind.IsIdempotent, JobReason.Interrupted, moment),
        (JobEvent.NotStarted, _) => Waiting(job with { Starts = job.Starts - 1 }, moment.Due ?? moment.Now, moment),
        (JobEvent.Quarantined, _) => Again(job with { Refusals = job.Refusals + 1 }, job.Refusals < MostRefusals, JobReason.Quarantined, moment),
        (JobEvent.NotUnderstood, _) => NotUnderstood(job, moment),
        _ => throw new ArgumentOutOfRangeException(nameof(happened), happened, "It is no event of an attempt."),
    };

    // Of a job that waits again, or failed because its replica was presumed to be gone: as if it still ran, but an end stays one.
    private static JobStatus EndLate(in JobStatus job, JobTraits kind, JobEvent happened, in JobMoment moment) =>
        happened == JobEvent.Succeeded ? Ended(job, JobState.Succeeded)
        : job.HasEnded ? Ended(job, JobReason.Exception)
        : End(job, kind, happened, moment);

    // It counts towards its attempts.
    private static JobStatus Failed(in JobStatus job, JobTraits kind, JobReason reason, in JobMoment moment)
    {
        var failed = job with { Failures = job.Failures + 1 };
        return failed.Failures < kind.Attempts
            ? Waiting(failed, moment.Now + Backoff(kind, failed.Failures, moment.Random), moment)
            : Ended(failed, reason);
    }

    private static JobStatus AskedForRetry(in JobStatus job, in JobMoment moment) => job.AskedRetries < MostAskedRetries
        ? Waiting(job with { AskedRetries = job.AskedRetries + 1 }, moment.Due ?? moment.Now, moment)
        : Ended(job, JobReason.Exception);

    private static JobStatus NotUnderstood(in JobStatus job, in JobMoment moment)
    {
        var since = job.NotUnderstoodSince ?? moment.Now;
        return moment.Now - since < LongestNotUnderstood
            ? Waiting(job with { NotUnderstoodSince = since }, moment.Now + NotUnderstoodPause, moment)
            : Ended(job, JobReason.Arguments);
    }

    private static JobStatus Again(in JobStatus job, bool mayRun, JobReason reason, in JobMoment moment) =>
        mayRun ? Waiting(job, moment.Due ?? moment.Now, moment) : Ended(job, reason);

    private static JobStatus Waiting(in JobStatus job, DateTimeOffset due, in JobMoment moment) =>
        job with { State = due > moment.Now ? JobState.Scheduled : JobState.Ready, Stop = JobStop.None, IsOpen = false, Due = due };

    private static JobStatus Ended(in JobStatus job, JobReason reason) => Ended(job, JobState.Failed) with { Reason = reason };

    private static JobStatus Ended(in JobStatus job, JobState state) => job with { State = state, Reason = JobReason.None, Stop = JobStop.None, IsOpen = false };

    private static JobChange Applied(in JobStatus job) => new(job, JobVerdict.Applied);

    private static JobChange NoChange(in JobStatus job) => new(job, JobVerdict.NoChange);

    private static JobChange Stale(in JobStatus job) => new(job, JobVerdict.Stale);

    private static JobChange Refused(in JobStatus job) => new(job, JobVerdict.Refused);
}
