namespace Weir.Generator.Model;

/// <summary>When jobs are made of an operation.</summary>
/// <param name="Cron">The cron expression.</param>
/// <param name="TimeZone">The id of its time zone.</param>
internal sealed record ScheduleModel(string Cron, string TimeZone)
{
    /// <summary>The name of a value of <c>Weir.ScheduleMisfire</c>.</summary>
    public string Misfire { get; init; } = "Once";

    public TimeSpan MisfireWindow { get; init; }

    /// <summary>The name of a value of <c>Weir.ScheduleOverlap</c>.</summary>
    public string Overlap { get; init; } = "Skip";
}
