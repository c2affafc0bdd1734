using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Weir.Execution;

namespace Weir;

/// <summary>
/// What an application says about running its services. First what the section <c>Weir</c> of the configuration says, then
/// the code of <c>AddWeir(options =&gt; …)</c>, which sees it and has the last word. Copied when the application starts.
/// </summary>
public sealed class WeirOptions
{
    private readonly Dictionary<string, PoolOptions> _pools = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The lane of threads for operations that block.</summary>
    public LaneOptions Lane { get; } = new();

    /// <summary>
    /// The most workers of all pools together. Default <c>null</c>, what the pools' own maxima and the machine allow; otherwise 1 or more, and
    /// not less than all pools' <see cref="PoolOptions.MinWorkers"/> together. At the limit idle workers above their pool's minimum
    /// leave for those that are needed, and calls wait in their queues.
    /// </summary>
    public int? MaxWorkers { get; set; }

    /// <summary>Filters around every operation, in order of registration among equal <see cref="OperationFilterAttribute.Order"/>. Default none.</summary>
    public IList<OperationFilterAttribute> Filters { get; } = [];

    /// <summary>
    /// Runs isolated operations in the application's own process, with its own services, so that a debugger stops in
    /// them. <c>null</c>, the default, does so while a debugger is attached when the application starts. Services that workers in another
    /// language serve stay in their pools.
    /// </summary>
    public bool? RunInline { get; set; }

    /// <summary>
    /// How long the end of the application waits for calls on the lane and in pools; then workers are killed and their calls end as
    /// lost, and what still blocks a thread of the lane is left to the end of the process.
    /// Default 30 s, as the host's own shutdown time-out; <c>null</c> waits for ever, zero does not wait.
    /// </summary>
    public TimeSpan? DrainTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The pools that were asked for by <see cref="Pool"/>.</summary>
    internal IReadOnlyDictionary<string, PoolOptions> Pools => _pools;

    /// <summary>The options of one pool, to be changed: <c>options.Pool("hashing").MaxWorkers = 5</c>. A pool that is never asked for has the defaults.</summary>
    /// <param name="name">The name in <c>[Isolated("name")]</c>, or of the service; compared without regard to case. One that no operation names is an error at the start.</param>
    public PoolOptions Pool(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return _pools.TryGetValue(name, out var options) ? options : _pools[name] = new PoolOptions();
    }

    /// <summary>
    /// Sets what a section of the configuration says and leaves the rest. Inside an application <c>AddWeir</c> does it with the
    /// section <c>Weir</c>, before the application's own code.
    /// </summary>
    /// <param name="section">Holds <c>Pools</c>, one section per pool, and <c>Lane</c>, and the other options by their names.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value does not fit (WEIR3002).</exception>
    public void Bind(IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(section);
        WeirKeys.All.Bind(this, section);
    }

    /// <summary>Applies the configuration, then the code, in the order in which it was registered.</summary>
    internal static WeirOptions Create(IConfiguration? configuration, IEnumerable<IConfigureOptions<WeirOptions>> code)
    {
        var options = new WeirOptions();
        if (configuration is not null)
        {
            options.Bind(configuration.GetSection(WeirKeys.Section));
        }

        foreach (var configure in code)
        {
            configure.Configure(options);
        }

        return options;
    }
}
