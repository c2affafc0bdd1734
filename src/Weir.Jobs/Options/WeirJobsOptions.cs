using Weir.Jobs.Storage;

namespace Weir;

/// <summary>
/// How an application runs jobs. First the section <c>Weir:Jobs</c> of the configuration sets the options, then the code of <c>AddWeirJobs(jobs =&gt; …)</c>, which sees those values and can
/// override them. Read when the application starts.
/// </summary>
public sealed class WeirJobsOptions
{
    private readonly Dictionary<string, JobKindOptions> _kinds = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether this process runs jobs; default <c>true</c>. <c>false</c>: it only submits them and asks for them.</summary>
    public bool Run { get; set; } = true;

    /// <summary>
    /// The most jobs that run at once in this process, 1 or more; default 256. The first job of a kind does not count, so that no kind keeps another from its first start. <c>null</c> means no limit.
    /// </summary>
    public int? MaxRunning { get; set; } = 256;

    /// <summary>
    /// How long a host that stops waits for the jobs that run; then their tokens are cancelled, and workers are killed after their grace. Zero or more; default 20 s. The host's own shutdown timeout must be at
    /// least 5 s and the longest <see cref="PoolOptions.CancelGrace"/> more.
    /// </summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>Opens the store. Set by <c>UseMemory</c> and by the packages of stores.</summary>
    internal Func<IServiceProvider, IJobStore>? Store { get; set; }

    /// <summary>The kinds whose options were requested by <see cref="Kind"/>.</summary>
    internal IReadOnlyDictionary<string, JobKindOptions> Kinds => _kinds;

    /// <summary>Options of one kind: <c>jobs.Kind("Reports/Build").Attempts = 3</c>. They go before its <see cref="JobAttribute"/>.</summary>
    /// <param name="name">The kind's name, without regard to case. One that no operation has is an error when the application starts.</param>
    public JobKindOptions Kind(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _kinds.TryGetValue(name, out var options) ? options : _kinds[name] = new JobKindOptions();
    }

    /// <summary>Keeps jobs in the memory of this process: for tests and trials. They are gone when it ends, and the log says so at start.</summary>
    /// <returns>These options.</returns>
    public WeirJobsOptions UseMemory()
    {
        Store = static _ => new MemoryJobStore();
        return this;
    }
}
