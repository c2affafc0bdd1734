namespace Weir;

/// <summary>What becomes of occurrences of a schedule that are missed, which means taken more than 60 seconds late: see <see cref="ScheduleAttribute.Misfire"/>.</summary>
public enum ScheduleMisfire
{
    /// <summary>One job for the last of them, if that is not older than <see cref="ScheduleAttribute.MisfireWindow"/>; none for the others.</summary>
    Once = 0,

    /// <summary>No job; the next one is made at the next occurrence.</summary>
    Skip = 1,
}
