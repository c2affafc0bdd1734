using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>What one commit has read and locked, and what it is to write. One flow.</summary>
/// <param name="batch">The batch that it applies.</param>
/// <param name="replica">This process.</param>
internal sealed class WorkUnit(JobBatch batch, Guid replica)
{
    private long _nextSeq;
    private long _nextReady;

    // Everything here is bounded by what the batch names.
    public JobBatch Batch { get; } = batch;

    public Guid Replica { get; } = replica;

    public CommitNews News { get; } = new();

    /// <summary>The jobs that it names, and those that are new, in the order in which they were accepted.</summary>
    public Dictionary<Guid, JobRow> Rows { get; } = [];

    public List<JobRow> NewRows { get; } = [];

    public KeyTable Keys { get; } = new();

    /// <summary>The schedules that it names, by name; all of them, where it declares some.</summary>
    public SortedDictionary<string, ScheduleRecord> Schedules { get; } = new(StringComparer.Ordinal);

    public HashSet<string> WrittenSchedules { get; } = new(StringComparer.Ordinal);

    public HashSet<string> DeletedSchedules { get; } = new(StringComparer.Ordinal);

    /// <summary>The last jobs of schedules, of those that had not ended.</summary>
    public HashSet<Guid> OpenLastJobs { get; } = [];

    public HashSet<string> Paused { get; } = new(StringComparer.Ordinal);

    /// <summary>The kinds to resume that have jobs which are ready.</summary>
    public HashSet<string> ReadyKinds { get; } = new(StringComparer.Ordinal);

    /// <summary>Of kinds with limits: what runs.</summary>
    public Dictionary<string, RunningCounts> Running { get; } = new(StringComparer.Ordinal);

    /// <summary>Kinds with limits, as far as this process knows: when a job of one ends, others may start.</summary>
    public required IReadOnlySet<string> Limited { get; init; }

    public List<(Guid Job, int Number, JobAttempt Attempt)> Attempts { get; } = [];

    public List<(Guid Job, long Number, int Run, ReadOnlyMemory<byte> Data)> Items { get; } = [];

    /// <summary>Jobs that ended because they had not begun in time, with the order of them.</summary>
    public List<(ExpiredJob Job, bool IsWatched, long Expires, long Seq)> Expired { get; } = [];

    /// <summary>When the next job has not begun in time.</summary>
    public long? NextExpiry { get; set; }

    /// <summary>Whether this process may start jobs: it was not presumed to be gone.</summary>
    public bool MayStart { get; set; }

    /// <summary>Whether jobs that are new are refused.</summary>
    public bool Refuses { get; init; }

    /// <summary>The numbers that this commit gives away begin here.</summary>
    public void Begin(long seq, long ready) => (_nextSeq, _nextReady) = (seq, ready);

    public long NextSeq() => _nextSeq++;

    public long NextReady() => _nextReady++;

    public bool HasRoom(NewJob job) => job.Limits is not { } limits || !HasLimit(limits) || (Running.TryGetValue(job.Kind, out var running) && running.HasRoom(limits, job.Key));

    /// <summary>Whether there is a limit at all.</summary>
    public static bool HasLimit(KindLimits? limits) => limits is { MaxPerKey: not null } or { MaxTotal: not null };

    public JobRow? Find(Guid id) => Rows.TryGetValue(id, out var row) && !row.IsGone ? row : null;

    /// <summary>Gives a job another status. One that becomes ready goes behind those that are. A claim is the only change by which a job has one start more.</summary>
    public void Change(JobRow row, JobStatus status)
    {
        var before = row.Status;
        if (status.Starts > before.Starts)
        {
            (row.Started, row.Replica) = (Batch.Now.UtcTicks, Replica);
        }

        if (status.State == JobState.Ready && before.State != JobState.Ready)
        {
            row.Ready = NextReady();
        }

        Count(row, before.State, status.State);
        row.Status = status;
        row.IsChanged = true;
        row.Replica = status.State == JobState.Running ? row.Replica : null;
        if (status.State == JobState.Scheduled)
        {
            News.Due(status.Due.UtcTicks);
        }

        if (row.Expires != 0 && status is { IsWaiting: true, Starts: 0 })
        {
            News.Due(row.Expires);
        }

        Keys.Change(row);
    }

    private void Count(JobRow row, JobState before, JobState after)
    {
        if ((before == JobState.Running) == (after == JobState.Running))
        {
            return;
        }

        if (after != JobState.Running && Limited.Contains(row.Kind))
        {
            News.ReadyKinds.Add(row.Kind);
        }

        if (!Running.TryGetValue(row.Kind, out var running))
        {
            return;
        }

        if (after == JobState.Running)
        {
            running.Add(row.Key);
        }
        else
        {
            running.Remove(row.Key);
        }
    }
}
