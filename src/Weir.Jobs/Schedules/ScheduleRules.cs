namespace Weir.Jobs.Schedules;

/// <summary>What is due of a schedule: pure functions of what is stored of it, the clock, and when it occurs.</summary>
internal static class ScheduleRules
{
    /// <summary>An occurrence that is later than this was missed.</summary>
    public static readonly TimeSpan Punctuality = TimeSpan.FromSeconds(60);

    /// <summary>When a schedule occurs first that is new, was changed, or was paused until now.</summary>
    /// <param name="schedule">When it occurs.</param>
    /// <param name="now">By the wall clock.</param>
    /// <returns><c>null</c> where it never occurs.</returns>
    public static DateTimeOffset? First(CronSchedule schedule, DateTimeOffset now) => schedule.Next(now);

    /// <summary>
    /// What is due. Occurrences that are due together are one run, of the last of them. Where the clock was set back, the stored occurrence stays, so that none is run twice. An occurrence is taken by
    /// replacing the stored one, which must still be there, with <see cref="ScheduleDecision.NewNext"/> in the commit that inserts the job.
    /// </summary>
    /// <param name="schedule">When it occurs.</param>
    /// <param name="next">The stored occurrence.</param>
    /// <param name="now">By the wall clock.</param>
    /// <param name="misfire">What happens to what was missed.</param>
    /// <param name="misfireWindow">How late a missed occurrence is still run.</param>
    public static ScheduleDecision Decide(CronSchedule schedule, DateTimeOffset next, DateTimeOffset now, ScheduleMisfire misfire, TimeSpan misfireWindow)
    {
        if (now < next)
        {
            return new ScheduleDecision { NewNext = next };
        }

        var newNext = schedule.Next(now);
        if (schedule.Last(next, now) is not { } last)
        {
            // The stored moment is no occurrence any more: the rules of its time zone were changed.
            return new ScheduleDecision { IsDue = true, NewNext = newNext };
        }

        var late = now - last;
        var isMissed = late > Punctuality;
        return new ScheduleDecision
        {
            IsDue = true,
            Run = !isMissed || (misfire == ScheduleMisfire.Once && late <= misfireWindow) ? last : null,
            NewNext = newNext,
            Last = last,
            Late = late,
            IsMissed = isMissed,
            HasEarlier = last > next,
        };
    }
}
