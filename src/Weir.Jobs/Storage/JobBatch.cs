namespace Weir.Jobs.Storage;

/// <summary>What one commit applies. Not for concurrent use.</summary>
/// <param name="now">The time of all of it.</param>
internal sealed class JobBatch(DateTimeOffset now)
{
    public DateTimeOffset Now { get; } = now;

    public List<NewItems> Items { get; } = [];

    public List<NewProgress> Progress { get; } = [];

    /// <summary>Kinds to pause, and to resume.</summary>
    public List<KindPause> Pauses { get; } = [];

    public List<JobAction> Actions { get; } = [];

    public List<NewJob> Jobs { get; } = [];

    /// <summary>The schedules that this process declares: all of them; <c>null</c> in a commit that declares none.</summary>
    public IReadOnlyList<ScheduleDeclaration>? Schedules { get; set; }

    public List<ScheduleChange> ScheduleChanges { get; } = [];

    /// <summary>Whether jobs whose time has come become ready, and those that have not begun in time end: up to 1,000 each.</summary>
    public bool MovesDue { get; set; }

    public List<JobClaim> Claims { get; } = [];

    public bool IsEmpty => Items.Count + Progress.Count + Pauses.Count + Actions.Count + Jobs.Count + ScheduleChanges.Count + Claims.Count == 0 && Schedules is null && !MovesDue;

    // ---- filled in by the commit ----

    /// <summary>The kinds of which jobs became ready, whether or not they were claimed since. One that starts with its acceptance is not ready in between.</summary>
    public HashSet<string> ReadyKinds { get; } = new(StringComparer.Ordinal);

    /// <summary>Jobs that ended because they had not begun in time.</summary>
    public List<ExpiredJob> Expired { get; } = [];

    /// <summary>Whether more jobs have not begun in time than one commit ends: then nothing was claimed, and the next commit ends more.</summary>
    public bool IsBehind { get; set; }

    /// <summary>When the next job becomes ready, or has not begun in time; <c>null</c> where none waits for a time.</summary>
    public DateTimeOffset? NextDue { get; set; }
}
