using Weir.Jobs.Storage;

namespace Weir.Jobs.Schedules;

/// <summary>A schedule that this process declares: what its code and its configuration say together. Immutable.</summary>
internal sealed record DeclaredSchedule
{
    /// <summary>Unique in an application, without regard to case.</summary>
    public required string Name { get; init; }

    /// <summary>The name of the kind of its jobs.</summary>
    public required string Kind { get; init; }

    /// <summary>The operation of <see cref="Kind"/>.</summary>
    public required Operation Operation { get; init; }

    /// <summary>Configuration where any value came from there.</summary>
    public required JobScheduleSource Source { get; init; }

    public required string Cron { get; init; }

    public required string TimeZone { get; init; }

    public required ScheduleMisfire Misfire { get; init; }

    public required TimeSpan MisfireWindow { get; init; }

    public required ScheduleOverlap Overlap { get; init; }

    /// <summary>The arguments of its jobs in their stored form: bound and validated.</summary>
    public required byte[] Arguments { get; init; }

    /// <summary>By what its jobs take turns with others of the kind; empty for none.</summary>
    public required string Key { get; init; }

    /// <summary>When it occurs; <c>null</c> where that cannot be computed on this machine, as <see cref="Error"/> says.</summary>
    public CronSchedule? Occurrences { get; init; }

    /// <summary>Why it has no occurrences; <c>null</c> where it has some.</summary>
    public string? Error { get; init; }

    /// <summary>The job of an occurrence.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="due">The occurrence.</param>
    /// <param name="now">When it is submitted.</param>
    public NewJob JobOf(Guid id, DateTimeOffset due, DateTimeOffset now) => new()
    {
        Id = id,
        Kind = Kind,
        Signature = Operation.Signature,
        Arguments = Arguments,
        Submitted = now,
        Due = due,
        Key = Key,
    };
}
