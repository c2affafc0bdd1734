namespace Weir.Jobs.Schedules;

/// <summary>Why the occurrences of a schedule cannot be computed.</summary>
internal enum ScheduleFault
{
    /// <summary>Its cron text is no cron expression: wrong on every machine.</summary>
    Cron = 1,

    /// <summary>This machine does not know its time zone; another one may.</summary>
    TimeZone = 2,
}
