using Weir.Runtime;

namespace Weir.Jobs.Options;

/// <summary>The keys of the section <c>Weir:Jobs</c>.</summary>
internal static class JobsKeys
{
    private static readonly OptionSection<JobKindOptions> OfKind = new OptionSection<JobKindOptions>("Kinds", "a kind of job")
        .OptionalInteger(nameof(JobKindOptions.Attempts), static (kind, value) => kind.Attempts = value)
        .OptionalTime(nameof(JobKindOptions.Timeout), static (kind, value) => kind.Timeout = value)
        .OptionalTime(nameof(JobKindOptions.Backoff), static (kind, value) => kind.Backoff = value)
        .OptionalTime(nameof(JobKindOptions.MaxBackoff), static (kind, value) => kind.MaxBackoff = value)
        .OptionalInteger(nameof(JobKindOptions.Concurrency), static (kind, value) => kind.Concurrency = value)
        .OptionalInteger(nameof(JobKindOptions.MaxPerKey), static (kind, value) => kind.MaxPerKey = value)
        .OptionalInteger(nameof(JobKindOptions.MaxTotal), static (kind, value) => kind.MaxTotal = value)
        .OptionalInteger(nameof(JobKindOptions.MaxWaiting), static (kind, value) => kind.MaxWaiting = value);

    private static readonly OptionSection<JobScheduleOptions> OfSchedule = new OptionSection<JobScheduleOptions>("Schedules", "a schedule")
        .OptionalText(nameof(JobScheduleOptions.Kind), static (schedule, value) => schedule.Kind = value)
        .OptionalText(nameof(JobScheduleOptions.Cron), static (schedule, value) => schedule.Cron = value)
        .OptionalText(nameof(JobScheduleOptions.TimeZone), static (schedule, value) => schedule.TimeZone = value)
        .OptionalText(nameof(JobScheduleOptions.Arguments), static (schedule, value) => schedule.Arguments = value)
        .OptionalOneOf<ScheduleMisfire>(nameof(JobScheduleOptions.Misfire), static (schedule, value) => schedule.Misfire = value)
        .OptionalTime(nameof(JobScheduleOptions.MisfireWindow), static (schedule, value) => schedule.MisfireWindow = value)
        .OptionalOneOf<ScheduleOverlap>(nameof(JobScheduleOptions.Overlap), static (schedule, value) => schedule.Overlap = value)
        .Switch(nameof(JobScheduleOptions.Enabled), static (schedule, value) => schedule.Enabled = value);

    /// <summary>The keys of one schedule.</summary>
    public static IEnumerable<string> ScheduleKeys => OfSchedule.Keys;

    /// <summary>All keys.</summary>
    public static OptionSection<WeirJobsOptions> Section { get; } = new OptionSection<WeirJobsOptions>("Jobs", "jobs")
        .Switch(nameof(WeirJobsOptions.Run), static (jobs, value) => jobs.Run = value)
        .OptionalTexts(nameof(WeirJobsOptions.Only), static (jobs, value) => jobs.Only = value)
        .Switch(nameof(WeirJobsOptions.Accept), static (jobs, value) => jobs.Accept = value)
        .OptionalInteger(nameof(WeirJobsOptions.MaxRunning), static (jobs, value) => jobs.MaxRunning = value)
        .Time(nameof(WeirJobsOptions.DrainTimeout), static (jobs, value) => jobs.DrainTimeout = value)
        .OptionalTime(nameof(WeirJobsOptions.Retention), static (jobs, value) => jobs.Retention = value)
        .OptionalTime(nameof(WeirJobsOptions.FailedRetention), static (jobs, value) => jobs.FailedRetention = value)
        .OptionalInteger(nameof(WeirJobsOptions.MaxKept), static (jobs, value) => jobs.MaxKept = value)
        .OptionalBytes(nameof(WeirJobsOptions.MaxKeptBytes), static (jobs, value) => jobs.MaxKeptBytes = value)
        .OptionalInteger(nameof(WeirJobsOptions.MaxKeptFailed), static (jobs, value) => jobs.MaxKeptFailed = value)
        .OptionalText(nameof(WeirJobsOptions.OwnerClaim), static (jobs, value) => jobs.OwnerClaim = value)
        .Each("Kinds", OfKind, static (jobs, name) => jobs.Kind(name))
        .Each("Schedules", OfSchedule, static (jobs, name) => jobs.Schedule(name));
}
