namespace Weir;

/// <summary>
/// Makes jobs of the operation at times that a cron expression says: each occurrence becomes a job of the operation's kind, with the default of every parameter. Belongs beside
/// <see cref="JobAttribute"/>, on the method of the interface, where there is one. Without it, with a parameter that has no default, or where a value does not fit, it is a build error
/// (WEIR1054). The schedule has the name of the kind, and every value can also be set under that name in <c>Weir:Jobs:Schedules</c> of the configuration, which wins.
/// </summary>
/// <remarks>
/// An occurrence becomes one job, however many processes run on the store. Occurrences that come due together, after a pause or while no process ran, are one run. An occurrence is missed
/// when it is taken more than 60 seconds late; <see cref="Misfire"/> and <see cref="MisfireWindow"/> say what becomes of it. The shortest interval is 1 second.
/// </remarks>
/// <param name="cron">
/// Minute, hour, day of the month, month and day of the week, such as <c>0 3 * * *</c> for each day at three; or six fields, the second first; or one of <c>@every_second</c>,
/// <c>@every_minute</c>, <c>@hourly</c>, <c>@daily</c>, <c>@weekly</c>, <c>@monthly</c> and <c>@yearly</c>, which are the first moment of their period. <c>H</c> in a field is a value of its
/// own for each schedule, which stays: it spreads schedules that need no exact time.
/// </param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ScheduleAttribute(string cron) : Attribute
{
    /// <summary>The cron expression.</summary>
    public string Cron { get; } = cron;

    /// <summary>
    /// The time zone whose clock <see cref="Cron"/> is about, such as <c>Europe/Berlin</c>; <c>UTC</c> is the default. An exact time that a change of that clock skips comes due when the clock has moved
    /// forward; one that happens twice comes due once, the first time.
    /// </summary>
    public string TimeZone { get; set; } = "UTC";

    /// <summary>What becomes of occurrences that are missed; default <see cref="ScheduleMisfire.Once"/>.</summary>
    public ScheduleMisfire Misfire { get; set; }

    /// <summary>How old a missed occurrence may be and still be run, written <c>06:00:00</c>, with days <c>1.00:00:00</c>, the default; 0 to 365 days. 0 means that none is run.</summary>
    public string MisfireWindow { get; set; } = "1.00:00:00";

    /// <summary>What happens when an occurrence comes due and the last job of the schedule has not ended; default <see cref="ScheduleOverlap.Skip"/>.</summary>
    public ScheduleOverlap Overlap { get; set; }
}
