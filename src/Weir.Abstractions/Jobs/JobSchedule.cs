namespace Weir;

/// <summary>A schedule as it is stored. Immutable.</summary>
public sealed record JobSchedule
{
    /// <summary>Its name: that of its kind, where it was declared in code.</summary>
    public required string Name { get; init; }

    /// <summary>The kind of its jobs.</summary>
    public required string Kind { get; init; }

    /// <summary>Its cron expression.</summary>
    public required string Cron { get; init; }

    /// <summary>The time zone in which that is meant.</summary>
    public required string TimeZone { get; init; }

    /// <summary>Who declared it.</summary>
    public JobScheduleSource Source { get; init; }

    /// <summary>When its next job is due; <c>null</c> where there will be none. In the past while the application that has it is stopped or busy.</summary>
    public DateTimeOffset? Next { get; init; }

    /// <summary>When its last job was due; <c>null</c> where there was none.</summary>
    public DateTimeOffset? LastDue { get; init; }

    /// <summary>Its last job, which may be deleted; <c>null</c> where there was none.</summary>
    public Guid? LastJob { get; init; }

    /// <summary>Whether it is paused: <see cref="IJobSchedules.PauseAsync"/>.</summary>
    public bool IsPaused { get; init; }

    /// <summary>Whether the application that has the store declares it. One that is not declared makes no jobs, and is deleted a day later, when an application starts.</summary>
    public bool IsDeclared { get; init; }

    /// <summary>Why its occurrences cannot be computed: its time zone is not known on this machine, or it never occurs. <c>null</c> where they can.</summary>
    public string? Error { get; init; }
}
