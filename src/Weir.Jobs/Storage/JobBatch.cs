namespace Weir.Jobs.Storage;

/// <summary>What one commit applies. Not for concurrent use.</summary>
/// <param name="now">The time of all of it.</param>
internal sealed class JobBatch(DateTimeOffset now)
{
    public DateTimeOffset Now { get; } = now;

    public List<NewItems> Items { get; } = [];

    public List<NewProgress> Progress { get; } = [];

    public List<JobAction> Actions { get; } = [];

    public List<NewJob> Jobs { get; } = [];

    /// <summary>Whether jobs whose time has come become ready: up to 1,000 of them.</summary>
    public bool MovesDue { get; set; }

    public List<JobClaim> Claims { get; } = [];

    public bool IsEmpty => Items.Count + Progress.Count + Actions.Count + Jobs.Count + Claims.Count == 0 && !MovesDue;

    // ---- filled in by the commit ----

    /// <summary>The kinds of which jobs became ready, whether or not they were claimed since. One that starts with its acceptance is not ready in between.</summary>
    public HashSet<string> ReadyKinds { get; } = new(StringComparer.Ordinal);

    /// <summary>When the next job becomes ready; <c>null</c> where none waits for a time.</summary>
    public DateTimeOffset? NextDue { get; set; }
}
