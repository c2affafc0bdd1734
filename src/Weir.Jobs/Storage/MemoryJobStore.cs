namespace Weir.Jobs.Storage;

/// <summary>Jobs in memory: for tests, and for applications whose jobs need not survive the process.</summary>
internal sealed class MemoryJobStore : IJobStore
{
    private const int MostCounted = 10_001;
    private const int ReadSize = 1024 * 1024;
    private const int MostEnded = 1_000;

    private readonly Lock _lock = new();
    private readonly MemoryJobTable _table = new();

    public string Description => "memory";

    public bool IsDurable => false;

    public ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken) => new(new JobStoreContent { Lost = [], ReadyKinds = [] });

    public ValueTask CommitAsync(JobBatch batch)
    {
        lock (_lock)
        {
            new MemoryCommit(_table, batch).Apply();
        }

        return ValueTask.CompletedTask;
    }

    public ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new(_table.Find(id)?.ToRecord());
        }
    }

    public ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new(_table.Find(id)?.ToCall());
        }
    }

    public ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new(_table.Find(id)?.Result);
        }
    }

    public ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            var items = _table.Find(id) is { } job && job.Run == run ? job.Items : [];
            var read = new List<ReadOnlyMemory<byte>>();
            for (var (index, size) = (from, 0L); index < items.Count; index++)
            {
                var item = items[(int)index];
                size += item.Length;
                if (read.Count > 0 && size > ReadSize)
                {
                    break;
                }

                read.Add(item);
            }

            return new(read);
        }
    }

    public ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new([.. _table.Find(id)?.Attempts ?? []]);
        }
    }

    public ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            var before = query.Before is { } id ? _table.Find(id) : null;
            return query.Before is not null && before is null
                ? new([])
                : new([.. _table.Submitted(before).Where(job => Meets(job, query)).Take(query.Limit).Select(static job => job.ToRecord())]);
        }
    }

    public ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new([.. _table.Counts.Select(static count => new JobCount(count.Key.Kind, count.Key.State, Math.Min(count.Value, MostCounted)))]);
        }
    }

    public ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new([.. _table.Counts
                .Where(static count => count.Key.State is JobState.Scheduled or JobState.Ready)
                .GroupBy(static count => count.Key.Kind, static count => (long)count.Value)
                .Select(count => new WaitingJobs(count.Key, Math.Min(count.Sum(), most), _table.Ready(count.Key)?.Oldest?.Status.Due))]);
        }
    }

    public ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            var part = _table.SubmittedAfter(after).Take(MostEnded).ToList();
            var ended = part.Where(static job => job.Status.HasEnded).Select(static job => new EndedJob(job.Id, job.Status.State, job.Ended!.Value, job.HoldsKey));
            return new(new EndedJobs([.. ended], part.Count < MostEnded ? null : part[^1].Number));
        }
    }

    public ValueTask<long?> SizeAsync(CancellationToken cancellationToken) => new(default(long?));

    public ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return new([.. _table.Schedules.Values]);
        }
    }

    /// <summary>All jobs with their calls, the first submitted first: for tests of applications.</summary>
    public IReadOnlyList<(JobRecord Job, ReadOnlyMemory<byte> Arguments)> Submitted()
    {
        lock (_lock)
        {
            return [.. _table.SubmittedAfter(0).Select(static job => (job.ToRecord(), job.Arguments))];
        }
    }

    /// <summary>The kinds of which jobs are ready, the one whose job has been ready longest first: for tests of applications.</summary>
    public IReadOnlyList<string> ReadyKinds()
    {
        lock (_lock)
        {
            return [.. _table.AllReady.OrderBy(static kind => kind.Value.FirstSequence).Select(static kind => kind.Key)];
        }
    }

    /// <summary>The job of these kinds that waits for its time and is due first; <c>null</c> where none does: for tests of applications.</summary>
    public Guid? NextScheduled(IReadOnlySet<string> kinds)
    {
        lock (_lock)
        {
            return _table.Scheduled.FirstOrDefault(job => kinds.Contains(job.Kind))?.Id;
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static bool Meets(MemoryJob job, JobQuery query) =>
        (query.Kind is null || query.Kind == job.Kind) && (query.State is null || query.State == job.Status.State) && (query.Key is null || query.Key == job.Key);
}
