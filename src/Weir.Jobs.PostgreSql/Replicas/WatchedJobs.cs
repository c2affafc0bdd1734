namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>The jobs that this process watches, with what was last seen of them: what a notification did not say is found out by comparison. Any thread.</summary>
/// <param name="most">How many at most. Of more, those that were watched first are left to notifications.</param>
internal sealed class WatchedJobs(int most = 10_000)
{
    private readonly Lock _gate = new();

    // Under _gate. At most so many; a job is removed when it has ended.
    private readonly Dictionary<Guid, Entry> _jobs = [];

    // Under _gate. The same, in the order in which they were first watched.
    private readonly LinkedList<Guid> _order = [];

    /// <summary>Begins to watch a job.</summary>
    /// <returns>Whether its row already says that it is watched.</returns>
    public bool Add(Guid job)
    {
        lock (_gate)
        {
            if (_jobs.TryGetValue(job, out var entry))
            {
                return entry.IsMarked;
            }

            if (_jobs.Count == most)
            {
                _jobs.Remove(_order.First!.Value);
                _order.RemoveFirst();
            }

            _jobs.Add(job, new Entry(_order.AddLast(job)));
            return false;
        }
    }

    /// <summary>The row of a job says that it is watched.</summary>
    public void Marked(Guid job)
    {
        lock (_gate)
        {
            if (_jobs.TryGetValue(job, out var entry))
            {
                entry.IsMarked = true;
            }
        }
    }

    /// <summary>A job has ended, or is gone.</summary>
    public void Remove(Guid job)
    {
        lock (_gate)
        {
            if (_jobs.Remove(job, out var entry))
            {
                _order.Remove(entry.Node);
            }
        }
    }

    /// <summary>All of them.</summary>
    public Guid[] All()
    {
        lock (_gate)
        {
            return [.. _jobs.Keys];
        }
    }

    /// <summary>Those whose rows do not say yet that they are watched.</summary>
    public Guid[] Unmarked()
    {
        lock (_gate)
        {
            return [.. _jobs.Where(static job => !job.Value.IsMarked).Select(static job => job.Key)];
        }
    }

    /// <summary>Compares a job with what was last seen of it.</summary>
    /// <param name="job">Which one.</param>
    /// <param name="seen">What it has now; <c>null</c> where it has ended, or is gone: then it is watched no more.</param>
    /// <returns>Whether it differs, or was not seen before.</returns>
    public bool Differs(Guid job, WatchedState? seen)
    {
        lock (_gate)
        {
            if (!_jobs.TryGetValue(job, out var entry))
            {
                return false;
            }

            if (seen is null)
            {
                _jobs.Remove(job);
                _order.Remove(entry.Node);
                return true;
            }

            if (entry.Seen == seen)
            {
                return false;
            }

            entry.Seen = seen;
            return true;
        }
    }

    private sealed class Entry(LinkedListNode<Guid> node)
    {
        public LinkedListNode<Guid> Node => node;

        public bool IsMarked { get; set; }

        public WatchedState? Seen { get; set; }
    }
}

/// <summary>What changes of a job that is watched before it ends.</summary>
/// <param name="Run">How often it was begun again by hand.</param>
/// <param name="Items">How many items it has.</param>
/// <param name="Progress">Its progress.</param>
/// <param name="Text">A hash of the text of its progress.</param>
internal readonly record struct WatchedState(int Run, long Items, double? Progress, int? Text);
