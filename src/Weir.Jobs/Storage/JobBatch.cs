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

    /// <summary>Where each kind of the claims is in its order of keys. For <see cref="Forget"/>, before a store changes it.</summary>
    public List<(KindClaim Kind, JobTurn Turn)> Turns() => [.. Claims.SelectMany(static claim => claim.Kinds).Select(static kind => (kind, kind.Turn))];

    /// <summary>Undoes what a commit that did not happen has filled in.</summary>
    /// <param name="turns">What <see cref="Turns"/> gave before.</param>
    public void Forget(List<(KindClaim Kind, JobTurn Turn)> turns)
    {
        ReadyKinds.Clear();
        Expired.Clear();
        (IsBehind, NextDue) = (false, null);
        foreach (var job in Jobs.Concat(ScheduleChanges.Select(static change => change.Job).OfType<NewJob>()))
        {
            (job.Existing, job.IsKeyReused, job.IsRefused, job.Claimed) = (null, false, false, null);
        }

        foreach (var schedule in Schedules ?? [])
        {
            schedule.Record = null;
        }

        foreach (var change in ScheduleChanges)
        {
            (change.IsApplied, change.IsSkipped, change.Record) = (false, false, null);
        }

        foreach (var claim in Claims)
        {
            claim.Jobs.Clear();
        }

        foreach (var (kind, turn) in turns)
        {
            (kind.Turn, kind.IsEmpty) = (turn, false);
        }
    }
}
