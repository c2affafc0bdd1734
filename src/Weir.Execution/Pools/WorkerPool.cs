using System.Collections.Frozen;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Workers;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Portable;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir;

/// <summary>
/// A pool of worker processes that run the isolated operations of one name. Inside an application <c>AddWeir</c> makes it; without
/// one, <see cref="Start"/> does. May be used concurrently.
/// </summary>
public sealed class WorkerPool : IAsyncDisposable
{
    private readonly PoolDefinition _spec;
    private readonly WorkerLog _log;
    private readonly PoolCore _events;
    private readonly IReadOnlyList<Proxy> _proxies;
    private readonly CallInvoker _invoker;
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _reloads = new(1);

    // Under _gate.
    private Task? _ending;

    internal WorkerPool(PoolDefinition spec, IReadOnlyList<Proxy> proxies)
    {
        _spec = spec;
        _proxies = proxies;
        _log = new WorkerLog(spec.Loggers, spec.LogCategory);
        _events = new PoolCore(spec, _log, (generation, events, entry) => new WorkerLifetime(generation, events, _log, entry));
        spec.Capacity?.Open(new CapacityUser(spec, _events, _log));
        spec.Meter.Add(_events.Tally, _events.View.Figures);
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
    /// <exception cref="InvalidOperationException">The options contradict each other (WEIR3002), a limit cannot be applied on this machine (WEIR3003), or a worker's command line cannot be found out (WEIR3004).</exception>
    public static WorkerPool Start(string name, WeirCatalogs catalogs, PoolOptions? options = null, ILoggerFactory? loggers = null, TimeProvider? time = null)
    {
        var pool = Create(name, catalogs, options ?? new PoolOptions(), loggers ?? NullLoggerFactory.Instance, time ?? TimeProvider.System, HostCapacity.Shared, WeirMeter.Shared);
        pool.Open();
        return pool;
    }

    internal static WorkerPool Create(string name, WeirCatalogs catalogs, PoolOptions options, ILoggerFactory loggers, TimeProvider time, HostCapacity capacity, WeirMeter meter)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(catalogs);
        options.Validate(name);
        options = options.Copy();
        var launcher = options.Launcher ?? WorkerLauncher.ForThisPlatform();
        Operation[] operations = [.. catalogs.Services.SelectMany(static service => service.Operations).Where(operation =>
            operation.Placement == Placement.Isolated && string.Equals(operation.Pool, name, StringComparison.OrdinalIgnoreCase))];
        RequireCommand(name, options, operations, launcher);
        return Prepared(name, () => new WorkerPool(
            new PoolDefinition
            {
                Name = name,
                Options = options,
                Describe = options => WorkerProgram.For(catalogs.ApplicationAssembly, options),
                Program = WorkerProgram.For(catalogs.ApplicationAssembly, options),
                Launcher = launcher,
                Limits = launcher.Prepare(options),

                // Its minimum, and one to replace a worker with.
                Capacity = new PoolCapacity(capacity, options.MinWorkers + 1),
                Starts = capacity.Starts,
                Meter = meter,
                Operations = operations,

                // Another program has no catalog of ours; names and signatures are compared all the same.
                CatalogIdentity = options.Command is null ? CatalogIdentity.Of(catalogs.Catalogs) : "",
                Loggers = loggers,
                Time = time,
            },
            [.. catalogs.Catalogs.SelectMany(static catalog => catalog.Proxies)]));
    }

    /// <summary>Starts the minimum of workers, in the background.</summary>
    internal void Open()
    {
        if (_spec.Options.ProcessLimit is null && _spec.Capacity?.TakeSharedProcessLimit() is { } most)
        {
            _log.Say((Name, most), static (logger, shared) => PoolLog.ProcessLimitShared(logger, shared.most, shared.Name));
        }

        _events.Open();
    }

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

    /// <summary>Waits until all workers of the minimum have been ready at the same time; at once where the minimum is 0.</summary>
    /// <param name="cancellationToken">Ends the waiting; the pool goes on.</param>
    /// <exception cref="WorkerLostException">A worker said why it cannot start, or too many died on the way (WEIR2014). The pool goes on trying, within its restart budget.</exception>
    /// <exception cref="CallRejectedException">The program of <see cref="PoolOptions.Command"/> is not there (WEIR2019), or the pool is draining (WEIR2009).</exception>
    public Task WaitUntilReadyAsync(CancellationToken cancellationToken = default) => ReadinessWaiters.StandAsync(_events, cancellationToken);

    /// <summary>
    /// Replaces every worker, one after the other: a new one is ready before an old one gets no more calls, where the maximum has a
    /// place for it; otherwise one goes first. No call fails of it. Old workers end what they run, however long that takes.
    /// </summary>
    /// <param name="change">
    /// Changes the options that new workers are started with: <see cref="PoolOptions.Configuration"/>, environment, limits, warm-up,
    /// start time-out. What belongs to the pool itself cannot change. <c>null</c> starts the same again, with the host's environment of now.
    /// </param>
    /// <param name="cancellationToken">Ends the waiting; the reload goes on.</param>
    /// <returns>Ends when the minimum is ready and no old worker gets calls any more.</returns>
    /// <exception cref="InvalidOperationException">The changed options contradict each other, or the pool (WEIR3002), or a limit cannot be applied (WEIR3003). Nothing has changed.</exception>
    /// <exception cref="WorkerLostException">New workers cannot start (WEIR2014). The old ones stay.</exception>
    /// <exception cref="CallRejectedException">The new <see cref="PoolOptions.Command"/> is not there (WEIR2019), and the old workers stay; or the pool is draining (WEIR2009).</exception>
    public async Task ReloadAsync(Action<PoolOptions>? change = null, CancellationToken cancellationToken = default)
    {
        // One after the other: each begins with what the last one left.
        Task standing;
        await _reloads.WaitAsync(cancellationToken);
        try
        {
            var current = _events.CurrentSpec();
            var options = current.Options.Copy();
            change?.Invoke(options);
            options.Validate(Name);
            PoolReload.Check(Name, current.Options, options);
            standing = ReadinessWaiters.RenewAsync(_events, Prepared(Name, () => current.For(options.Copy())), cancellationToken);
        }
        finally
        {
            _reloads.Release();
        }

        await standing;
    }

    /// <summary>What the pool looks like now.</summary>
    public PoolSnapshot Snapshot() => _events.View.Snapshot();

    /// <summary>
    /// Takes no more calls, waits until all that came before have their ending, and lets the workers go. Ends after every
    /// <see cref="PoolOptions.OnCrash"/> callback has returned; a callback must not wait for it.
    /// </summary>
    /// <param name="cancellationToken">Ends the waiting: who waits is rejected then, what runs is killed. The pool is drained in any case when this returns.</param>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        Task ending;
        lock (_gate)
        {
            ending = _ending ??= EndAsync();
        }

        using (Callbacks.Register(_events, static events => events.Abort(), static (events, failure) => events.ReportFailure(failure, "ending all calls at once"), cancellationToken))
        {
            await ending;
        }
    }

    /// <summary>The same as <see cref="DrainAsync"/> without an end of the waiting.</summary>
    public async ValueTask DisposeAsync() => await DrainAsync();

    private static T Prepared<T>(string name, Func<T> prepare)
    {
        try
        {
            return prepare();
        }
        catch (LaunchException failure)
        {
            throw new InvalidOperationException($"Pool '{name}' cannot be started. {failure.Message} See {failure.Code}.", failure);
        }
    }

    private static void RequireCommand(string name, PoolOptions options, Operation[] operations, IWorkerLauncher launcher)
    {
        if (options.Command is null && operations.FirstOrDefault(static operation => operation.Service.IsForeign) is { } foreign)
        {
            throw new InvalidOperationException(
                $"Pool '{name}' has no Command, and no class serves {foreign}: set Command to the program that does, as in options.Pool(\"{name}\").Command = [\"python3\", \"/app/worker.py\"]. See {WeirCodes.InvalidOptions}.");
        }

        if (options.Command is not null && launcher is PortableLauncher)
        {
            throw new PlatformNotSupportedException(
                $"Pool '{name}' has the Command {options.Command[0]}: workers in another language inherit their channels, which needs Linux. See {WeirCodes.PlatformNotSupported}.");
        }
    }

    private async Task EndAsync()
    {
        _events.Drain();
        await _events.WhenDrainedAsync();
        _spec.Capacity?.Close();
        _spec.Meter.Remove(_events.Tally);
        _events.CurrentSpec().Limits.Group?.Release();
        _events.Dispose();
        await _log.DisposeAsync();
    }
}
