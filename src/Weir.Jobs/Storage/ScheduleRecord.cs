namespace Weir.Jobs.Storage;

/// <summary>What a store knows of a schedule.</summary>
internal sealed record ScheduleRecord
{
    public required string Name { get; init; }

    public required string Kind { get; init; }

    public required string Cron { get; init; }

    public required string TimeZone { get; init; }

    public required JobScheduleSource Source { get; init; }

    /// <summary>The next occurrence; <c>null</c> where there is none.</summary>
    public DateTimeOffset? Next { get; init; }

    public bool IsPaused { get; init; }

    /// <summary>The occurrence for which a job was stored last; <c>null</c> where none was.</summary>
    public DateTimeOffset? LastDue { get; init; }

    /// <summary>That job; it may be deleted.</summary>
    public Guid? LastJob { get; init; }

    /// <summary>Since when no process declares it; <c>null</c> while one does.</summary>
    public DateTimeOffset? UndeclaredSince { get; init; }
}
