using System.Collections.Frozen;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Processes;

namespace Weir.Execution;

/// <summary>
/// A pool of worker processes that run the isolated operations of one name. Inside an application <c>AddWeir</c> makes it; without
/// one, <see cref="Start"/> does. May be used concurrently.
/// </summary>
public sealed class WorkerPool : IAsyncDisposable
{
    private readonly PoolSpec _spec;
    private readonly WorkerLog _log;
    private readonly PoolEvents _events;
    private readonly IReadOnlyList<Proxy> _proxies;
    private readonly CallInvoker _invoker;
    private readonly string _isolation;
    private readonly Lock _gate = new();
    private Task? _ending;

    internal WorkerPool(PoolSpec spec, IReadOnlyList<Proxy> proxies)
    {
        _spec = spec;
        _proxies = proxies;
        _isolation = Isolation.Describe(spec.Options);
        _log = new WorkerLog(spec.Loggers, spec.LogCategory);
        _events = new PoolEvents(spec, _log);
        Executor = new PoolExecutor(spec, _events);
        Pipeline = new RoutedPipeline(
            new ExecutorTable(spec.Operations.ToFrozenDictionary(
                static operation => operation, operation => new ExecutorTable.Row(Executor, new FilterChain([], operation)))),
            NoScopes.Instance,
            spec.Time);
        _invoker = new PipelineInvoker(Pipeline);
    }

    /// <summary>The pool's name.</summary>
    public string Name => _spec.Name;

    /// <summary>The way of this pool's calls where there is no application around it: deadline, filters of the operation, worker.</summary>
    public CallPipeline Pipeline { get; }

    internal IExecutor Executor { get; }

    /// <summary>Starts a pool without an application around it. Its minimum of workers starts in the background.</summary>
    /// <param name="name">The pool's name, as in <c>[Isolated("name")]</c>; compared without regard to case.</param>
    /// <param name="catalogs">What the application serves: its generated <c>ApplicationCatalog</c>.</param>
    /// <param name="options">Copied; <c>null</c> takes the defaults.</param>
    /// <param name="loggers">Take what the pool and its workers have to say; <c>null</c> drops it.</param>
    /// <param name="time">The clock; <c>null</c> takes the system's.</param>
    /// <exception cref="InvalidOperationException">The options contradict each other (WEIR3002), or a worker's command line cannot be found out (WEIR3004).</exception>
    public static WorkerPool Start(string name, WeirCatalogs catalogs, PoolOptions? options = null, ILoggerFactory? loggers = null, TimeProvider? time = null)
    {
        var pool = Create(name, catalogs, options ?? new PoolOptions(), loggers ?? NullLoggerFactory.Instance, time ?? TimeProvider.System);
        pool.Open();
        return pool;
    }

    internal static WorkerPool Create(string name, WeirCatalogs catalogs, PoolOptions options, ILoggerFactory loggers, TimeProvider time)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(catalogs);
        options.Validate(name);
        var launcher = options.Launcher ?? WorkerLauncher.ForThisPlatform();
        try
        {
            return new WorkerPool(
                new PoolSpec
                {
                    Name = name,
                    Options = options.Copy(),
                    Program = WorkerProgram.ForApplication(catalogs.ApplicationAssembly),
                    Launcher = launcher,
                    Operations = [.. catalogs.Services.SelectMany(static service => service.Operations).Where(operation =>
                        operation.Placement == Placement.Isolated && string.Equals(operation.Pool, name, StringComparison.OrdinalIgnoreCase))],
                    CatalogIdentity = CatalogIdentity.Of(catalogs.Catalogs),
                    Loggers = loggers,
                    Time = time,
                },
                [.. catalogs.Catalogs.SelectMany(static catalog => catalog.Proxies)]);
        }
        catch (LaunchException failure)
        {
            throw new InvalidOperationException($"Pool '{name}' cannot be started. {failure.Message} See {failure.Code}.", failure);
        }
    }

    /// <summary>Starts the minimum of workers, in the background.</summary>
    internal void Open() => _events.Open();

    /// <summary>Gives a typed proxy whose calls run in this pool. Calls of its operations that belong elsewhere fail.</summary>
    /// <typeparam name="T">The service's interface, or the generated <c>I{Class}Client</c>.</typeparam>
    /// <exception cref="InvalidOperationException">No catalog has a proxy for it.</exception>
    public T GetProxy<T>()
        where T : class
    {
        var proxy = _proxies.FirstOrDefault(static proxy => proxy.Contract == typeof(T))
            ?? throw new InvalidOperationException($"No catalog of pool '{Name}' has a proxy for {typeof(T)}; use the service's interface, or the generated client of a class without one.");
        return (T)proxy.Create(_invoker);
    }

    /// <summary>What the pool looks like now.</summary>
    public PoolSnapshot Snapshot() => _events.View.Snapshot(_isolation);

    /// <summary>Takes no more calls, waits until all that came before have their ending, and lets the workers go.</summary>
    /// <param name="cancellationToken">Ends the waiting: who waits is rejected then, what runs is killed. The pool is drained in any case when this returns.</param>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        Task ending;
        lock (_gate)
        {
            ending = _ending ??= EndAsync();
        }

        using (cancellationToken.UnsafeRegister(static state => ((PoolEvents)state!).Abort(), _events))
        {
            await ending;
        }
    }

    /// <summary>The same as <see cref="DrainAsync"/> without an end of the waiting.</summary>
    public async ValueTask DisposeAsync() => await DrainAsync();

    private async Task EndAsync()
    {
        _events.Drain();
        await _events.Drained;
        _events.Dispose();
        await _log.DisposeAsync();
    }
}
