namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>What other processes have to know of one commit.</summary>
internal sealed class CommitNews
{
    // All of it is bounded by what one batch has.

    /// <summary>The kinds of which jobs are ready.</summary>
    public HashSet<string> ReadyKinds { get; } = new(StringComparer.Ordinal);

    /// <summary>The first time, of jobs that are to wait for one, at which a job becomes ready or has not begun in time; 0 for none.</summary>
    public long DueAt { get; private set; }

    /// <summary>Whether kinds were paused or resumed.</summary>
    public bool HasPauses { get; set; }

    /// <summary>Attempts that are to stop, with the processes that run them.</summary>
    public List<(Guid Replica, Guid Job, long Fence)> Stops { get; } = [];

    /// <summary>Jobs that have changed, and that a process may watch; and whether they have ended, or are deleted.</summary>
    public Dictionary<Guid, bool> Watched { get; } = [];

    /// <summary>Whether there is nothing that another process has to know.</summary>
    public bool IsEmpty => ReadyKinds.Count + Stops.Count + Watched.Count == 0 && DueAt == 0 && !HasPauses;

    /// <summary>A job waits for a time, or ends at it unless it has begun.</summary>
    public void Due(long ticks) => DueAt = DueAt == 0 || ticks < DueAt ? ticks : DueAt;

    /// <summary>A job that may be watched has changed.</summary>
    public void Changed(Guid job, bool hasEnded) => Watched[job] = hasEnded || Watched.GetValueOrDefault(job);

    public void Clear()
    {
        ReadyKinds.Clear();
        Stops.Clear();
        Watched.Clear();
        (DueAt, HasPauses) = (0, false);
    }
}
