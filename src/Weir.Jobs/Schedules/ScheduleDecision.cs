namespace Weir.Jobs.Schedules;

/// <summary>What is due of a schedule.</summary>
internal readonly record struct ScheduleDecision
{
    /// <summary>Whether <see cref="NewNext"/> is to be stored: the clock has reached the stored one.</summary>
    public bool IsDue { get; init; }

    /// <summary>The occurrence for which a job is to be made, its <c>ScheduledFor</c>; <c>null</c> for no job.</summary>
    public DateTimeOffset? Run { get; init; }

    /// <summary>When the schedule occurs next; <c>null</c> means never again.</summary>
    public DateTimeOffset? NewNext { get; init; }

    /// <summary>The last occurrence that is due, whether a job is made for it or not; <c>null</c> where none is.</summary>
    public DateTimeOffset? Last { get; init; }

    /// <summary>How late <see cref="Last"/> is.</summary>
    public TimeSpan Late { get; init; }

    /// <summary>Whether <see cref="Last"/> is so late that it was missed.</summary>
    public bool IsMissed { get; init; }

    /// <summary>Whether earlier occurrences are due with <see cref="Last"/>, which get no job of their own.</summary>
    public bool HasEarlier { get; init; }
}
