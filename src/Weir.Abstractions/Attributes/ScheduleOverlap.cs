namespace Weir;

/// <summary>What happens when an occurrence of a schedule comes due and its last job has not ended: see <see cref="ScheduleAttribute.Overlap"/>.</summary>
public enum ScheduleOverlap
{
    /// <summary>No job is made; the next one is made at the next occurrence at which the last one has ended.</summary>
    Skip = 0,

    /// <summary>A job is made, and waits for its turn like any other job of its kind; <see cref="JobAttribute.MaxTotal"/> = 1 says that it may not run beside the last one.</summary>
    Queue = 1,
}
