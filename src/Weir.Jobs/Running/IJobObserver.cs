using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>Hears what was committed, in order. Called by one flow at a time; must not block or throw.</summary>
internal interface IJobObserver
{
    /// <summary>An attempt is to run in this process.</summary>
    void Started(ClaimedJob job, JobKind kind);

    /// <summary>Jobs were accepted, or had been before.</summary>
    void Accepted(IReadOnlyList<NewJobRequest> jobs);

    /// <summary>Items were stored, or refused.</summary>
    void Appended(NewItems items);

    /// <summary>An event was applied, or changed nothing.</summary>
    /// <param name="action">The event, with what the commit has filled in.</param>
    /// <param name="now">The commit's time: what is stored as the end of a job that ended.</param>
    void Acted(JobAction action, DateTimeOffset now);

    /// <summary>A schedule has occurred, or was paused or resumed.</summary>
    void Occurred(ScheduleChange change, DateTimeOffset now);

    /// <summary>A job ended because it had not begun in time.</summary>
    void Expired(ExpiredJob job);

    /// <summary>A commit is durable.</summary>
    void Committed(JobBatch batch, TimeSpan took);

    /// <summary>A commit failed.</summary>
    void CommitFailed(JobStoreException failure);
}
