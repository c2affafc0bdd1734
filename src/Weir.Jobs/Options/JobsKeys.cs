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
        .OptionalInteger(nameof(JobKindOptions.Concurrency), static (kind, value) => kind.Concurrency = value);

    /// <summary>All keys.</summary>
    public static OptionSection<WeirJobsOptions> Section { get; } = new OptionSection<WeirJobsOptions>("Jobs", "jobs")
        .Switch(nameof(WeirJobsOptions.Run), static (jobs, value) => jobs.Run = value)
        .OptionalInteger(nameof(WeirJobsOptions.MaxRunning), static (jobs, value) => jobs.MaxRunning = value)
        .Time(nameof(WeirJobsOptions.DrainTimeout), static (jobs, value) => jobs.DrainTimeout = value)
        .Each("Kinds", OfKind, static (jobs, name) => jobs.Kind(name));
}
