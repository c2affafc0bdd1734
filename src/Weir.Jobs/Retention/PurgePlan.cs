using Weir.Jobs.Storage;

namespace Weir.Jobs.Retention;

/// <summary>Decides which of the jobs that have ended are deleted. They come in the order in which they were submitted. One flow.</summary>
internal sealed class PurgePlan
{
    private static readonly TimeSpan KeyKept = TimeSpan.FromHours(1);

    private long _tooMany;
    private long _tooManyFailed;

    /// <summary>A plan for those that are too many.</summary>
    /// <param name="options">How much is kept.</param>
    /// <param name="kept">How many jobs there are that did not fail.</param>
    /// <param name="failed">How many that failed.</param>
    /// <param name="size">The bytes of the store; <c>null</c> where that is not known.</param>
    public PurgePlan(WeirJobsOptions options, long kept, long failed, long? size)
    {
        _tooMany = Math.Max(kept - options.MaxKept ?? 0, 0);
        _tooManyFailed = Math.Max(failed - options.MaxKeptFailed ?? 0, 0);
        if (size > options.MaxKeptBytes)
        {
            // As if all took the same; a further look comes.
            _tooMany = Math.Max(_tooMany, (long)Math.Ceiling(kept * ((size.Value - options.MaxKeptBytes.Value) / (double)size.Value)));
        }
    }

    /// <summary>Whether no more are deleted.</summary>
    public bool IsDone => _tooMany <= 0 && _tooManyFailed <= 0;

    /// <summary>How many are deleted.</summary>
    public long Deleted { get; private set; }

    /// <summary>Whether the time of a job is over. One with an idempotency key is kept an hour at least.</summary>
    public static bool IsOld(in EndedJob job, WeirJobsOptions options, DateTimeOffset now)
    {
        var retention = job.State == JobState.Failed ? options.FailedRetention : options.Retention;
        return now - job.Ended >= (job.HoldsKey && retention < KeyKept ? KeyKept : retention);
    }

    /// <summary>Whether a job is deleted.</summary>
    public bool Deletes(in EndedJob job)
    {
        ref var left = ref job.State == JobState.Failed ? ref _tooManyFailed : ref _tooMany;
        if (left <= 0)
        {
            return false;
        }

        left--;
        Deleted++;
        return true;
    }
}
