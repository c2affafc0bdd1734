using Weir.Jobs.PostgreSql.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>What one commit did that others have to know. Not for concurrent use.</summary>
internal sealed class ReplicaNews
{
    /// <summary>Kinds of which jobs may be ready.</summary>
    public HashSet<string> ReadyKinds { get; } = new(StringComparer.Ordinal);

    /// <summary>When a job becomes ready, or has not begun in time, at the earliest; <c>null</c> where none got a time.</summary>
    public DateTimeOffset? Due { get; set; }

    /// <summary>Whether kinds were paused or resumed.</summary>
    public bool Pauses { get; set; }

    /// <summary>Whether a process begins or ceases to run kinds.</summary>
    public bool Versions { get; set; }

    /// <summary>Whether there is more than fits: all of it is to be looked up.</summary>
    public bool Look { get; set; }

    /// <summary>Attempts that are to stop, with the process that claimed them.</summary>
    public List<(Guid Replica, AttemptId Attempt)> Stops { get; } = [];

    /// <summary>Jobs that processes watch, and whether they may have ended.</summary>
    public List<(Guid Job, bool HasEnded)> Watched { get; } = [];

    public bool IsEmpty => ReadyKinds.Count + Stops.Count + Watched.Count == 0 && Due is null && !Pauses && !Versions && !Look;

    /// <summary>The news of a commit.</summary>
    public static ReplicaNews Of(CommitNews commit)
    {
        var news = new ReplicaNews { Pauses = commit.HasPauses, Due = commit.DueAt == 0 ? null : new DateTimeOffset(commit.DueAt, TimeSpan.Zero) };
        news.ReadyKinds.UnionWith(commit.ReadyKinds);
        news.Stops.AddRange(commit.Stops.Select(static stop => (stop.Replica, new AttemptId(stop.Job, stop.Fence))));
        news.Watched.AddRange(commit.Watched.Select(static job => (job.Key, job.Value)));
        return news;
    }

    public void Clear()
    {
        ReadyKinds.Clear();
        Stops.Clear();
        Watched.Clear();
        (Due, Pauses, Versions, Look) = (null, false, false, false);
    }
}
