namespace Weir;

/// <summary>When jobs are made of an operation: what its <see cref="ScheduleAttribute"/> says. Immutable.</summary>
public sealed record OperationSchedule
{
    /// <summary>The cron expression: five fields, six with the second first, or a macro such as <c>@daily</c>.</summary>
    public required string Cron { get; init; }

    /// <summary>The time zone whose clock <see cref="Cron"/> is about. Default <c>UTC</c>.</summary>
    public string TimeZone { get; init; } = "UTC";

    /// <summary>What becomes of missed occurrences. Default <see cref="ScheduleMisfire.Once"/>.</summary>
    public ScheduleMisfire Misfire { get; init; }

    /// <summary>How old a missed occurrence may be and still be run. Default 1 day.</summary>
    public TimeSpan MisfireWindow { get; init; } = TimeSpan.FromDays(1);

    /// <summary>What happens when an occurrence comes due and the last job has not ended. Default <see cref="ScheduleOverlap.Skip"/>.</summary>
    public ScheduleOverlap Overlap { get; init; }
}
