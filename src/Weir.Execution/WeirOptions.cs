using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.Execution;

namespace Weir;

/// <summary>
/// The options with which an application runs its services. First the section <c>Weir</c> of the configuration sets them, then
/// the code of <c>AddWeir(options =&gt; …)</c>, which sees those values and can override them. Copied when the application starts.
/// </summary>
public sealed class WeirOptions
{
    private readonly Dictionary<string, PoolOptions> _pools = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// What every pool has that does not set an option itself, whichever of the two is set first: <c>options.PoolDefaults.MinWorkers = 0</c>
    /// lets no pool keep a worker. An option that a pool sets is the pool's own, also if it is set to <c>null</c> or to a list; of
    /// <see cref="PoolOptions.EnvironmentVariables"/> and <see cref="PoolOptions.Configuration"/> each name is an option of its own. Checked
    /// with each pool.
    /// </summary>
    public PoolOptions PoolDefaults { get; } = new();

    /// <summary>The lane of threads for operations that block.</summary>
    public LaneOptions Lane { get; } = new();

    /// <summary>What the application records of its calls, for people who look at it. Off by default.</summary>
    public RecordingOptions Recording { get; } = new();

    /// <summary>
    /// The most workers of all pools together. Default <c>null</c>, as many as the pools' own maxima and the machine allow; otherwise 1 or
    /// more, and not less than the <see cref="PoolOptions.MinWorkers"/> of all pools together. At the limit idle workers above their pool's
    /// minimum are stopped in favour of workers that are needed, and calls wait in their queues.
    /// </summary>
    public int? MaxWorkers { get; set; }

    /// <summary>
    /// Filters around every operation, in order of registration among equal <see cref="IOperationFilter.Order"/>; those of the container come after them. A
    /// lambda is one too: <c>options.Filters.Add(async (context, next) =&gt; …)</c>. Default none.
    /// </summary>
    public IList<IOperationFilter> Filters { get; } = [];

    /// <summary>
    /// Runs isolated operations in the application's own process, so that a debugger stops in them. Their services are those of a worker, by
    /// the <see cref="WorkerServicesAttribute"/> method. <c>null</c>, the default, does so if a debugger is attached when the application starts. Services of foreign workers
    /// (written in another language) stay in their pools.
    /// </summary>
    public bool? RunInline { get; set; }

    /// <summary>
    /// Registers services after the <see cref="WorkerServicesAttribute"/> method, in addition to what it registers or in its place, where isolated
    /// operations run in the application's own process: fakes, in tests. Called once for each pool and assembly. In code only. Default
    /// <c>null</c>, nothing. Ignored by workers, and an error of the pool's start (WEIR2014) where the method returns an <see cref="IServiceProvider"/>.
    /// </summary>
    public Action<IServiceCollection>? InlineServices { get; set; }

    /// <summary>
    /// How long the shutdown of the application waits for calls on the lane and in pools; then workers are killed and their calls complete
    /// as lost, and calls that still block a thread of the lane are abandoned until the process ends.
    /// Default 30 s, like the host's own shutdown timeout; <c>null</c> waits without a limit, zero does not wait.
    /// </summary>
    public TimeSpan? DrainTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long an operation may block a thread of the thread pool: before its method returns or reaches its first await. An operation whose
    /// calls do so repeatedly is named in the log, once, with the line to write (events 4401 and 4402). Default 20 ms; 10 ms to 1 hour;
    /// <c>null</c> names none. Waiting for a processor or for the garbage collector does not count. Linux only.
    /// </summary>
    public TimeSpan? BlockingThreshold { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// How long work may wait for a thread of the thread pool. When it waits longer, the log names the operations that block threads, at most
    /// once in 30 s, and says when that has ended (events 4403 to 4406). Default 500 ms; 100 ms to 1 hour; <c>null</c> does not measure it.
    /// </summary>
    public TimeSpan? StarvationThreshold { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Reads the configuration and applies the code again; <c>null</c> for options that were created in another way.</summary>
    internal Func<WeirOptions>? Reread { get; private init; }

    /// <summary>The pools whose options were requested by <see cref="Pool"/>.</summary>
    internal IReadOnlyDictionary<string, PoolOptions> Pools => _pools;

    /// <summary>
    /// The options of one pool, to be changed: <c>options.Pool("hashing").MaxWorkers = 5</c>. They read as they are now, with the values of
    /// <see cref="PoolDefaults"/> in them; a list of those is read-only here, and their entries of
    /// <see cref="PoolOptions.EnvironmentVariables"/> and <see cref="PoolOptions.Configuration"/> are added when the application starts. A
    /// pool whose options are never requested has the defaults.
    /// </summary>
    /// <param name="name">The name in <c>[Isolated("name")]</c>, or of the service; compared without regard to case. A name that no operation uses is an error when the application starts.</param>
    public PoolOptions Pool(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _pools.TryGetValue(name, out var options) ? options : _pools[name] = new PoolOptions(PoolDefaults);
    }

    /// <summary>
    /// Sets the options that a section of the configuration contains and keeps the rest. Inside an application <c>AddWeir</c> does it with
    /// the section <c>Weir</c>, before the application's own code.
    /// </summary>
    /// <param name="section">Holds <c>Pools</c>, one section per pool, and <c>PoolDefaults</c>, <c>Lane</c>, and the other options by their names.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value is invalid (WEIR3002).</exception>
    public void Bind(IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(section);
        WeirKeys.Bind(this, section, []);
    }

    /// <summary>The options of a pool as it has them, whether they were requested or not.</summary>
    internal PoolOptions OptionsOf(string pool) => _pools.GetValueOrDefault(pool) ?? new PoolOptions(PoolDefaults);

    /// <summary>Rejects options of a pool in which no operation runs: the name is probably misspelled.</summary>
    /// <param name="names">The names of all pools; compared without regard to case.</param>
    /// <exception cref="InvalidOperationException">There are such options (WEIR3002).</exception>
    internal void RequirePools(HashSet<string> names)
    {
        if (_pools.Keys.FirstOrDefault(name => !names.Contains(name)) is { } unknown)
        {
            throw new InvalidOperationException(
                $"Pool '{unknown}' has options, but no operation runs in it; the pools are: {string.Join(", ", names.Order(StringComparer.OrdinalIgnoreCase))}. "
                + $"Name it in [Isolated(\"{unknown}\")], or remove its options from the code or from {WeirKeys.Section}:Pools of the configuration. See {WeirCodes.InvalidOptions}.");
        }
    }

    /// <summary>Applies the configuration, then the code, in the order in which it was registered.</summary>
    /// <param name="configuration">The whole configuration of the application.</param>
    /// <param name="code">What the application registered.</param>
    /// <param name="others">The names of the sections below <c>Weir</c> that other packages read.</param>
    internal static WeirOptions Create(IConfiguration? configuration, IEnumerable<IConfigureOptions<WeirOptions>> code, params IEnumerable<string> others)
    {
        var options = new WeirOptions { Reread = () => Create(configuration, code, others) };
        if (configuration is not null)
        {
            WeirKeys.Bind(options, configuration.GetSection(WeirKeys.Section), others);
        }

        foreach (var configure in code)
        {
            configure.Configure(options);
        }

        return options;
    }
}
