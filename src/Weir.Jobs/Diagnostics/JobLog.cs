using Microsoft.Extensions.Logging;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Diagnostics;

/// <summary>The log messages of jobs, in the category <c>Weir.Jobs</c>.</summary>
internal sealed partial class JobLog(ILogger logger)
{
    /// <summary>What the log lines of an attempt carry.</summary>
    public IDisposable? Scope(JobRecord job, string kind) =>
        logger.BeginScope(new KeyValuePair<string, object?>[] { new("weir.job.id", job.Id), new("weir.job.kind", kind), new("weir.job.attempt", job.Status.Starts) });

    /// <summary>An attempt ended without success.</summary>
    public void AttemptFailed(string kind, JobRecord job, JobEvent happened, Exception failure)
    {
        if (logger.IsEnabled(LogLevel.Warning))
        {
            AttemptFailed(logger, failure, job.Id, kind, job.Status.Starts, Word(happened));
        }
    }

    public void OutcomeNotStored(string kind, JobRecord job, JobStoreException failure) => OutcomeNotStored(logger, failure, job.Id, kind);

    public void ScopeFailed(string kind, JobRecord job, Exception failure) => ScopeFailed(logger, failure, job.Id, kind);

    public void CommitFailed(JobStoreException failure) => CommitFailed(logger, failure, failure.IsFinal ? "It cannot be used any more until the process starts again" : "It is tried again");

    [LoggerMessage(4503, LogLevel.Information, "Jobs are kept in {Store}; {Kinds} kinds, {Lost} attempts of an earlier process were found.")]
    public partial void Opened(string store, int kinds, int lost);

    [LoggerMessage(4504, LogLevel.Warning, "Jobs are kept in the memory of this process and are gone when it ends: use a store that survives, UseSqlite(\"jobs.db\") for example.")]
    public partial void OnlyInMemory();

    [LoggerMessage(4505, LogLevel.Information, "The host stops: it waits up to {Timeout} (DrainTimeout) for {Running} jobs that run.")]
    public partial void Draining(TimeSpan timeout, int running);

    [LoggerMessage(4506, LogLevel.Warning, "{Running} jobs did not end within {Timeout} (DrainTimeout): their tokens are cancelled. They are: {Jobs}.")]
    public partial void Interrupting(int running, TimeSpan timeout, string jobs);

    [LoggerMessage(4507, LogLevel.Error, "{Running} jobs ignore their tokens, and the host stops without them; at the next start they are presumed lost. They are: {Jobs}.")]
    public partial void LeftBehind(int running, string jobs);

    [LoggerMessage(4508, LogLevel.Warning, "Jobs of {Kind} may run for {Timeout} (Timeout) and are not [Idempotent]: a host that stops waits only {Drain} (DrainTimeout), and interrupts them. Raise DrainTimeout, or mark the operation [Idempotent].")]
    public partial void LongerThanDrain(string kind, TimeSpan? timeout, TimeSpan drain);

    [LoggerMessage(4509, LogLevel.Warning, "Job {Job} of {Kind} was stopped {Seconds:0} s ago, and its code still runs: it ignores its token, and keeps its place.")]
    public partial void IgnoresToken(Guid job, string kind, double seconds);

    [LoggerMessage(4512, LogLevel.Warning, "The clock was set forward by {By}: no job is deleted because of its age for {Pause}, in case the time is wrong.")]
    public partial void ClockJumped(TimeSpan by, TimeSpan pause);

    [LoggerMessage(4513, LogLevel.Warning, "{Jobs} jobs that had ended were deleted before their retention was over, because more are kept than MaxKept, MaxKeptBytes or MaxKeptFailed allows. Raise it, or shorten Retention or FailedRetention. Told once an hour.")]
    public partial void DeletedEarly(long jobs);

    [LoggerMessage(4514, LogLevel.Warning, "Schedule {Schedule} was due at {Due:O}, {Late} ago: {Action} (Misfire, MisfireWindow).")]
    public partial void Missed(string schedule, DateTimeOffset due, TimeSpan late, string action);

    [LoggerMessage(4515, LogLevel.Information, "Schedule {Schedule} was due at {Due:O}, and its last job, {Job}, has not ended: no job is submitted for it (Overlap).")]
    public partial void Overlapped(string schedule, DateTimeOffset due, Guid? job);

    [LoggerMessage(4516, LogLevel.Error, "Schedule {Schedule} makes no jobs: {Error}")]
    public partial void NotComputed(string schedule, string error);

    [LoggerMessage(4517, LogLevel.Error, "Schedule {Schedule} was due at {Due:O}, and the store has no space for its job: it is tried again in 10 s. Free space on its disk.")]
    public partial void NoSpaceFor(string schedule, DateTimeOffset due);

    [LoggerMessage(4518, LogLevel.Error, "Jobs that have ended could not be looked through, and none was deleted: it is tried again in 10 minutes.")]
    public partial void NotPurged(Exception failure);

    [LoggerMessage(4519, LogLevel.Error, "Job {Job} has ended and cannot be deleted, because what is stored of it is damaged. It stays, perhaps with others. Put back a copy of the file.")]
    public partial void NotDeleted(Guid job);

    [LoggerMessage(4520, LogLevel.Error, "This process has not renewed its lease in time, and others may presume that it is gone: {Stopped} jobs that may run twice are stopped and run again, and {Left} others run on. Look at the connection to the store, and at what stops this process.")]
    public partial void LeaseLost(int stopped, int left);

    /// <summary>One word for how an attempt ended.</summary>
    public static string Word(JobEvent happened) => happened switch
    {
        JobEvent.Threw or JobEvent.Answered => "threw",
        JobEvent.AskedForRetry => "retry",
        JobEvent.Crashed => "crashed",
        JobEvent.OwnerLost => "lost",
        JobEvent.Drained => "interrupted",
        JobEvent.NotUnderstood => "arguments",
        JobEvent.Quarantined => "quarantined",
        JobEvent.NotStarted => "not started",
        _ => happened.ToString().ToLowerInvariant(),
    };

    [LoggerMessage(4501, LogLevel.Warning, "Attempt {Attempt} of job {Job} of {Kind} ended without success: {Outcome}.")]
    private static partial void AttemptFailed(ILogger logger, Exception exception, Guid job, string kind, int attempt, string outcome);

    [LoggerMessage(4502, LogLevel.Error, "What job {Job} of {Kind} brought could not be stored: at the next start it is presumed lost.")]
    private static partial void OutcomeNotStored(ILogger logger, Exception exception, Guid job, string kind);

    [LoggerMessage(4511, LogLevel.Error, "The services of job {Job} of {Kind} could not be disposed. What the job brought is kept.")]
    private static partial void ScopeFailed(ILogger logger, Exception exception, Guid job, string kind);

    [LoggerMessage(4510, LogLevel.Error, "The store of jobs could not commit. {Next}.")]
    private static partial void CommitFailed(ILogger logger, Exception exception, string next);
}
