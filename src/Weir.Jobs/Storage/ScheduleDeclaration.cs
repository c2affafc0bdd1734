namespace Weir.Jobs.Storage;

/// <summary>One schedule that a process declares.</summary>
internal sealed class ScheduleDeclaration
{
    public required string Name { get; init; }

    public required string Kind { get; init; }

    public required string Cron { get; init; }

    public required string TimeZone { get; init; }

    public required JobScheduleSource Source { get; init; }

    /// <summary>The next occurrence from now on, for a schedule that is new or has another kind, cron expression or time zone; <c>null</c> where there is none.</summary>
    public required DateTimeOffset? First { get; init; }

    /// <summary>The next occurrence after a moment. For a schedule that is changed: its first occurrence was computed before the commit, and may have been taken since. <c>null</c> keeps <see cref="First"/>.</summary>
    public Func<DateTimeOffset, DateTimeOffset?>? After { get; init; }

    /// <summary>What becomes of a stored schedule of this name; <c>null</c> for none. What is declared otherwise begins with its first occurrence from now on, and a pause stays.</summary>
    public ScheduleRecord Declare(ScheduleRecord? before)
    {
        var isSame = before is not null && before.Kind == Kind && before.Cron == Cron && before.TimeZone == TimeZone && before.UndeclaredSince is null;
        return new ScheduleRecord
        {
            Name = Name,
            Kind = Kind,
            Cron = Cron,
            TimeZone = TimeZone,
            Source = Source,
            Next = isSame && before!.Next is not null ? before.Next : before?.LastDue is { } taken && First <= taken && After is { } after ? after(taken) : First,
            IsPaused = before?.IsPaused ?? false,
            LastDue = before?.LastDue,
            LastJob = before?.LastJob,
        };
    }

    // ---- filled in by the commit ----

    /// <summary>The schedule as it is stored now: its next occurrence may have passed.</summary>
    public ScheduleRecord? Record { get; set; }
}
