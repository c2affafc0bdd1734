namespace Weir;

/// <summary>
/// One schedule. A schedule with the name of a kind changes the one that the kind has by <c>[Schedule]</c>, value by value, where there is one; what is not set stays what the attribute says. Any other name is
/// a schedule of its own, and a kind may have several.
/// </summary>
public sealed class JobScheduleOptions
{
    /// <summary>The kind of its jobs, without regard to case; <c>null</c>, the default, is the kind that has the schedule's name.</summary>
    public string? Kind { get; set; }

    /// <summary>
    /// When it occurs: 5 fields (minute, hour, day of the month, month, day of the week), 6 with the seconds first, or a macro, as <c>@daily</c>. <c>H</c> in a field is a value that depends on the schedule's name.
    /// Must be set, here or by the attribute.
    /// </summary>
    public string? Cron { get; set; }

    /// <summary>
    /// The id of the time zone of <see cref="Cron"/>, as in <c>Europe/Berlin</c>; <c>null</c>, the default, is what the attribute says, and UTC without one. A schedule whose time zone the machine does not know has no occurrences,
    /// and the health check is degraded.
    /// </summary>
    public string? TimeZone { get; set; }

    /// <summary>The arguments of its jobs: a JSON object with a member for each parameter, by name; <c>null</c>, the default, is an object without members. They are bound and validated when the application starts.</summary>
    public string? Arguments { get; set; }

    /// <summary>What happens to an occurrence that was missed by more than 60 s; <c>null</c>, the default, is what the attribute says, and <see cref="ScheduleMisfire.Once"/> without one.</summary>
    public ScheduleMisfire? Misfire { get; set; }

    /// <summary>How late a missed occurrence is still run, zero to 365 days; <c>null</c>, the default, is what the attribute says, and 1 day without one.</summary>
    public TimeSpan? MisfireWindow { get; set; }

    /// <summary>What happens to an occurrence whose last job has not ended; <c>null</c>, the default, is what the attribute says, and <see cref="ScheduleOverlap.Skip"/> without one.</summary>
    public ScheduleOverlap? Overlap { get; set; }

    /// <summary>Whether this process declares the schedule; default <c>true</c>. <c>false</c>: it has no occurrences here, and nothing else of it is checked.</summary>
    public bool Enabled { get; set; } = true;

    /// <summary>Whether any value of the schedule itself was set.</summary>
    internal bool HasValue => Kind is not null || Cron is not null || TimeZone is not null || Arguments is not null || Misfire is not null || MisfireWindow is not null || Overlap is not null;
}
