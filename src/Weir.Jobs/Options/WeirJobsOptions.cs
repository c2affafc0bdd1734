using Weir.Jobs.Storage;

namespace Weir;

/// <summary>
/// How an application runs jobs. First the section <c>Weir:Jobs</c> of the configuration sets the options, then the code of <c>AddWeirJobs(jobs =&gt; …)</c>, which sees those values and can
/// override them. Read when the application starts.
/// </summary>
public sealed class WeirJobsOptions
{
    private readonly Dictionary<string, JobKindOptions> _kinds = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, JobScheduleOptions> _schedules = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether this process runs jobs; default <c>true</c>. <c>false</c>: it only submits them and asks for them.</summary>
    public bool Run { get; set; } = true;

    /// <summary>
    /// The kinds of which this process runs jobs, where it runs any: names, or beginnings of names with a <c>*</c> at their end, <c>Reports/*</c>, without regard to case. One that fits no kind is an error when the application starts. It submits jobs of
    /// all kinds. Default <c>null</c>: all kinds. An empty list means none.
    /// </summary>
    public IReadOnlyList<string>? Only { get; set; }

    /// <summary>
    /// Whether this process accepts jobs; default <c>true</c>. <c>false</c>: what submits one gets <see cref="CallRejectedException"/> (WEIR2049), and schedules make none. What is stored still runs: so a store becomes empty before another one takes its place.
    /// </summary>
    public bool Accept { get; set; } = true;

    /// <summary>
    /// The most jobs that run at once in this process, 1 or more; default 256. The first job of a kind does not count, so that no kind keeps another from its first start. <c>null</c> means no limit.
    /// </summary>
    public int? MaxRunning { get; set; } = 256;

    /// <summary>
    /// How long a host that stops waits for the jobs that run; then their tokens are cancelled, and workers are killed after their grace. Zero or more; default 20 s. The host's own shutdown timeout must be at
    /// least 5 s and the longest <see cref="PoolOptions.CancelGrace"/> more.
    /// </summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// How long a job that succeeded, was cancelled or expired is kept with its result and items; zero to 3,650 days, default 24 hours. Its idempotency key stays at least an hour. <c>null</c> means no limit.
    /// </summary>
    public TimeSpan? Retention { get; set; } = TimeSpan.FromHours(24);

    /// <summary>How long a job that failed is kept; zero to 3,650 days, default 14 days. <c>null</c> means no limit.</summary>
    public TimeSpan? FailedRetention { get; set; } = TimeSpan.FromDays(14);

    /// <summary>
    /// How many jobs that succeeded, were cancelled or expired are kept, 0 or more; default 1,000,000. When about a twentieth more have ended, those that were submitted first are deleted, before their
    /// <see cref="Retention"/> is over: the log and the health check say so. <c>null</c> means no limit.
    /// </summary>
    public int? MaxKept { get; set; } = 1_000_000;

    /// <summary>
    /// How many bytes the store may take before jobs that succeeded, were cancelled or expired are deleted early, 0 or more; default 10 GB. Jobs that wait, run or failed are not deleted for it. Ignored by a store in
    /// memory. <c>null</c> means no limit.
    /// </summary>
    public long? MaxKeptBytes { get; set; } = 10L * 1024 * 1024 * 1024;

    /// <summary>How many jobs that failed are kept, 0 or more; default 100,000. Beyond, those that were submitted first are deleted. <c>null</c> means no limit.</summary>
    public int? MaxKeptFailed { get; set; } = 100_000;

    /// <summary>
    /// The type of the claim that names the owner of a job over HTTP: a caller that has the same value of it from the same issuer sees the job. A tenant's claim lets colleagues see each other's jobs. <c>null</c>, the default:
    /// <c>NameIdentifier</c>, else <c>sub</c>, else the name. A caller that is authenticated without it cannot submit jobs over HTTP (WEIR2046).
    /// </summary>
    public string? OwnerClaim { get; set; }

    /// <summary>Opens the store. Set by <c>UseMemory</c> and by the packages of stores.</summary>
    internal Func<IServiceProvider, IJobStore>? Store { get; set; }

    /// <summary>The kinds whose options were requested by <see cref="Kind"/>.</summary>
    internal IReadOnlyDictionary<string, JobKindOptions> Kinds => _kinds;

    /// <summary>The schedules whose options were requested by <see cref="Schedule"/>.</summary>
    internal IReadOnlyDictionary<string, JobScheduleOptions> Schedules => _schedules;

    /// <summary>Options of one kind: <c>jobs.Kind("Reports/Build").Attempts = 3</c>. They go before its <see cref="JobAttribute"/>.</summary>
    /// <param name="name">The kind's name, without regard to case. One that no operation has is an error when the application starts.</param>
    public JobKindOptions Kind(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _kinds.TryGetValue(name, out var options) ? options : _kinds[name] = new JobKindOptions();
    }

    /// <summary>
    /// Options of one schedule: <c>jobs.Schedule("nightly").Cron = "0 3 * * *"</c>. They go before the <c>[Schedule]</c> of the kind with that name. An application may have 1,000 schedules; more are an error when it starts.
    /// </summary>
    /// <param name="name">The schedule's name, 1 to 200 characters, without regard to case. What <c>H</c> in its cron text stands for depends on it.</param>
    public JobScheduleOptions Schedule(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _schedules.TryGetValue(name, out var options) ? options : _schedules[name] = new JobScheduleOptions();
    }

    /// <summary>Keeps jobs in the memory of this process: for tests and trials. They are gone when it ends, and the log says so at start.</summary>
    /// <returns>These options.</returns>
    public WeirJobsOptions UseMemory()
    {
        Store = static _ => new MemoryJobStore();
        return this;
    }
}
