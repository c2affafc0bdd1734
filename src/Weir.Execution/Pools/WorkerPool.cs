using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Pools.Workers;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Portable;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir;

/// <summary>
/// A pool of worker processes that run the isolated operations that name it. In an application <c>AddWeir</c> creates it; without
/// an application, <see cref="Start"/> does. May be used concurrently.
/// </summary>
public sealed class WorkerPool : IAsyncDisposable
{
    private readonly PoolDefinition _definition;
    private readonly WorkerLog _log;
    private readonly PoolCore _core;
    private readonly PoolReports _reports;
    private readonly PoolDiagnostics _view;
    private readonly PoolGenerations<PoolDefinition> _generations;
    private readonly PoolSharedData _shared;
    private readonly CapacityUser? _capacity;
    private readonly WorkerLives _lives = new();
    private readonly IReadOnlyList<Proxy> _proxies;
    private readonly CallInvoker _invoker;
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _reloads = new(1);

    // Under _gate.
    private Task? _draining;

    private volatile bool _acceptsAnyBuild;

    internal WorkerPool(PoolDefinition definition, IReadOnlyList<Proxy> proxies)
    {
        _definition = definition;
        _proxies = proxies;
        _log = new WorkerLog(definition.Loggers, definition.LogCategory);
        _generations = new PoolGenerations<PoolDefinition>(definition);
        _reports = new PoolReports(definition, _log, () => _core!.CurrentSettings().QueueLimit);
        _core = new PoolCore(
            definition.Settings,
            definition.Time,
            definition.Capacity,
            (core, entry) => _lives.Add(new WorkerLifetime(_generations.Of(entry.Generation), core, _reports, _view!, entry)),
            _reports);
        _shared = new PoolSharedData(_core, _generations);
        _shared.Add(definition.SharedData);
        _view = new PoolDiagnostics(definition.Name, _core, _reports.Losses);
        _capacity = definition.Capacity is null ? null : new CapacityUser(definition, _core, _log);
        definition.Capacity?.Open(_capacity!);
        definition.Meter.Add(_reports.Tally, _view.Figures);
        Executor = new PoolExecutor(definition, _core, _reports);
        Pipeline = new RoutedPipeline(
            new ExecutorTable(definition.Operations.ToDictionary(
                static operation => operation, operation => new ExecutorTable.Row(Executor, new FilterChain([], operation)))),
            EmptyScopeFactory.Instance,
            definition.Time);
        _invoker = new PipelineInvoker(Pipeline);
    }

    /// <summary>The pool's name.</summary>
    public string Name => _definition.Name;

    /// <summary>The pipeline of this pool's calls when it is used without an application: deadline, filters of the operation, worker.</summary>
    public CallPipeline Pipeline { get; }

    internal IExecutor Executor { get; }

    /// <summary>Starts a pool without an application. Its minimum of workers starts in the background.</summary>
    /// <param name="name">The pool's name, as in <c>[Isolated("name")]</c>; case is ignored.</param>
    /// <param name="catalogs">The services of the application: its generated <c>ApplicationCatalog</c>.</param>
    /// <param name="options">The options, which are copied; <c>null</c> uses the defaults.</param>
    /// <param name="loggers">Create the loggers of the pool and its workers; <c>null</c> logs nothing.</param>
    /// <param name="time">The clock; <c>null</c> uses the system's.</param>
    /// <param name="configuration">What workers inherit by <see cref="PoolOptions.InheritedConfiguration"/>; <c>null</c> lets them inherit nothing.</param>
    /// <exception cref="InvalidOperationException">
    /// The options contradict each other (WEIR3002), a limit cannot be applied on this machine (WEIR3003), a worker's command line cannot be
    /// determined (WEIR3004), or the configuration is too large for a worker (WEIR3013).
    /// </exception>
    public static WorkerPool Start(
        string name, WeirCatalogs catalogs, PoolOptions? options = null, ILoggerFactory? loggers = null, TimeProvider? time = null, IConfiguration? configuration = null)
    {
        options ??= new PoolOptions();
        var memory = options.Launcher is null ? MemoryShare.Of(HostMemory.Bound(), options.MaxWorkers, SharedDataCheck.KnownBytes([options])) : null;
        var pool = Create(
            name, catalogs, options, configuration, loggers ?? NullLoggerFactory.Instance, time ?? TimeProvider.System, HostCapacity.Shared, WeirMeter.Shared, memory);
        pool._log.Write((memory, pool), static (logger, one) =>
        {
            HostMemory.Report(logger, one.memory, [one.pool]);
            HostMemory.ReportShared(logger, [(one.pool.Name, one.pool.Options)], SharedDataCheck.FreeMemory);
        });
        pool.Open();
        return pool;
    }

    internal static WorkerPool Create(string name, WeirCatalogs catalogs, PoolOptions options, IConfiguration? configuration, ILoggerFactory loggers, TimeProvider time, HostCapacity capacity, WeirMeter meter, MemoryShare? memory = null, Action<CrashReport>? crashed = null, SharedDataStore? store = null, WorkerObserver? observer = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(catalogs);
        options = options.Merged();
        options.Validate(name);
        options = options.Copy();
        options.DerivedMemoryLimitBytes = options.IsMemoryLimitSet ? null : HostMemory.LimitOf(memory);
        var launcher = options.Launcher ?? WorkerLauncherFactory.ForThisPlatform();
        Operation[] operations = [.. catalogs.Services.SelectMany(static service => service.Operations).Where(operation =>
            operation.Placement == Placement.Isolated && string.Equals(operation.Pool, name, StringComparison.OrdinalIgnoreCase))];
        RequireCommand(name, options, operations, launcher);
        configuration = options.Command is null && WorkerConfiguration.IsUsed(catalogs.Catalogs, name, operations) ? configuration : null;

        store ??= SharedDataStore.Shared;
        SharedDataSet? Share(PoolOptions options, long stamp) =>
            options.SharedDataSources.Count == 0 ? null : new SharedDataSet(store, options.SharedDataSources, launcher is PortableLauncher, stamp);

        // What its first worker would get: a configuration that is too large fails the start of the application.
        Prepared(name, () => WorkerConfiguration.From(configuration, options));
        return Prepared(name, () => new WorkerPool(
            new PoolDefinition
            {
                Name = name,
                Options = options,
                Describe = options => WorkerProgram.For(catalogs.ApplicationAssembly, options),
                Program = WorkerProgram.For(catalogs.ApplicationAssembly, options),
                Launcher = launcher,
                Limits = launcher.Prepare(options),

                SharedData = Share(options, stamp: 0),
                Share = Share,
                NextStamp = store.NextStamp,
                Capacity = new PoolCapacity(capacity, SpareMinimum(options.MinWorkers)),
                Starts = capacity.Starts,
                Meter = meter,
                Crashed = crashed,
                Observer = observer,
                Operations = operations,

                // Another program does not have our catalog; names and signatures are compared nevertheless.
                CatalogIdentity = options.Command is null ? CatalogIdentity.Of(catalogs.Catalogs) : "",
                HostConfiguration = configuration,
                Loggers = loggers,
                Time = time,
            },
            [.. catalogs.Catalogs.SelectMany(static catalog => catalog.Proxies)]));
    }

    /// <summary>Starts the minimum of workers, in the background.</summary>
    internal void Open()
    {
        _definition.Capacity?.Measure();
        if (_definition.Options.ProcessLimit is null && _definition.Capacity?.TakeSharedProcessLimit() is { } most)
        {
            _log.Write((Name, most), static (logger, shared) => PoolLog.ProcessLimitShared(logger, shared.most, shared.Name));
        }

        _core.Open();
    }

    /// <summary>The pool is recorded from now on. Once.</summary>
    internal IObservedPool Observe()
    {
        var peaks = _reports.Peaks = new PoolPeaks();
        return new ObservedPool(Name, _core, _reports, _view, peaks, _capacity);
    }

    /// <summary>What its workers are started with.</summary>
    internal PoolOptions Options => _definition.Options;

    /// <summary>Its options as they are in effect: a copy.</summary>
    internal PoolOptions CurrentOptions => Current().Options;

    /// <summary>Whether the pool runs this application's own code.</summary>
    internal bool RunsOwnCode => _definition.Options.Command is null;

    /// <summary>The code of the host was changed while it runs: the next reload starts workers of any build whose operations are the same.</summary>
    internal void AcceptAnyBuild() => _acceptsAnyBuild = true;

    /// <summary>Creates a typed proxy whose calls run in this pool. Calls of operations that do not belong to this pool fail.</summary>
    /// <typeparam name="T">The service's interface, or the generated <c>I{Class}Client</c>.</typeparam>
    /// <exception cref="InvalidOperationException">No catalog has a proxy for it.</exception>
    public T GetProxy<T>()
        where T : class
    {
        var proxy = _proxies.FirstOrDefault(static proxy => proxy.Contract == typeof(T))
            ?? throw new InvalidOperationException($"No catalog of pool '{Name}' has a proxy for {typeof(T)}; use the service's interface, or the generated client of a class without one.");
        return (T)proxy.Create(_invoker);
    }

    /// <summary>Waits until all workers of the minimum have been ready at the same time; returns at once if the minimum is 0.</summary>
    /// <param name="cancellationToken">Ends the wait; the pool continues.</param>
    /// <exception cref="WorkerLostException">A worker reported why it cannot start, or too many failed at startup (WEIR2014). The pool continues to start workers, within its restart budget.</exception>
    /// <exception cref="CallRejectedException">The program of <see cref="PoolOptions.Command"/> does not exist (WEIR2019), or the pool is draining (WEIR2009).</exception>
    public Task WaitUntilReadyAsync(CancellationToken cancellationToken = default) => _reports.Readiness.StandAsync(_core, cancellationToken);

    /// <summary>
    /// Replaces every worker, one after the other: if the maximum allows it, a new worker is ready before an old one stops getting calls;
    /// otherwise an old one exits first. No call fails because of it. Old workers complete the calls they run, however long that takes.
    /// </summary>
    /// <param name="change">
    /// Changes the options that new workers are started with: <see cref="PoolOptions.Configuration"/>, environment, limits, shared data, warm-up,
    /// start timeout; and what <see cref="ResizeAsync"/> changes. Other options of the pool itself cannot change. <c>null</c> keeps the
    /// options, with the host's current environment and configuration.
    /// </param>
    /// <param name="cancellationToken">Ends the wait; the reload continues.</param>
    /// <returns>Completes when the minimum is ready and no old worker gets calls any more.</returns>
    /// <exception cref="InvalidOperationException">The changed options contradict each other, or change the pool itself (WEIR3002), a limit cannot be applied (WEIR3003), or the configuration is too large for a worker (WEIR3013), or shared data cannot be read (WEIR2024). Nothing has changed.</exception>
    /// <exception cref="WorkerLostException">New workers cannot start (WEIR2014). The old workers are kept, and so is a changed size.</exception>
    /// <exception cref="CallRejectedException">The new <see cref="PoolOptions.Command"/> does not exist (WEIR2019), and the old workers are kept; or the pool is draining (WEIR2009).</exception>
    public Task ReloadAsync(Action<PoolOptions>? change = null, CancellationToken cancellationToken = default) =>
        ReloadAtAsync(change, _definition.NextStamp?.Invoke() ?? 0, cancellationToken);

    /// <summary>The same, as a part of a reload of several pools, which read what they share only once.</summary>
    internal async Task ReloadAtAsync(Action<PoolOptions>? change, long stamp, CancellationToken cancellationToken)
    {
        // One after the other: each reload begins with the options of the last one.
        Task standing;
        await _reloads.WaitAsync(cancellationToken);
        try
        {
            var (definition, current) = Current();
            var options = current.Copy();
            change?.Invoke(options);
            options.Validate(Name);
            PoolReload.Check(Name, current, options);
            var next = Prepared(Name, () => definition.For(options.Copy(), stamp));
            if (next.SharedData is { } data)
            {
                await ReadAsync(data, cancellationToken);
            }

            try
            {
                Resize(options);
                standing = _reports.Readiness.RenewAsync(_core, _generations, _acceptsAnyBuild ? next with { CatalogIdentity = "" } : next, cancellationToken);
                _shared.Add(next.SharedData);
            }
            finally
            {
                next.SharedData?.Release();
            }
        }
        finally
        {
            _reloads.Release();
        }

        await standing;
    }

    /// <summary>
    /// Changes the size of the running pool: <see cref="PoolOptions.MinWorkers"/>, <see cref="PoolOptions.MaxWorkers"/>,
    /// <see cref="PoolOptions.QueueLimit"/> and <see cref="PoolOptions.IdleTimeout"/>. No worker is replaced, and no call fails because of
    /// it: workers above a lower maximum complete their calls and exit, and calls that wait keep their places in a shorter queue.
    /// </summary>
    /// <param name="change">Sets those options; it sees their current values.</param>
    /// <param name="cancellationToken">Ends the wait for a reload that is being prepared; nothing has changed then.</param>
    /// <returns>Completes when the new size holds; workers may still start and exit because of it.</returns>
    /// <exception cref="InvalidOperationException">The options contradict each other, or another option was changed (WEIR3002). Nothing has changed.</exception>
    public async Task ResizeAsync(Action<PoolOptions> change, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(change);
        await _reloads.WaitAsync(cancellationToken);
        try
        {
            var (_, current) = Current();
            var options = current.Copy();
            change(options);
            options.Validate(Name);
            PoolReload.CheckSizeOnly(Name, current, options);
            Resize(options);
        }
        finally
        {
            _reloads.Release();
        }
    }

    /// <summary>
    /// Gives waiting calls to no worker until <see cref="Resume"/>, or until the pool drains. What runs continues; calls that arrive wait, as many as <see cref="PoolOptions.QueueLimit"/> allows, and their deadlines hold.
    /// Does nothing when the pool is paused or draining.
    /// </summary>
    public void Pause() => _core.Pause();

    /// <summary>Gives waiting calls to workers again after <see cref="Pause"/>. Does nothing when the pool is not paused.</summary>
    public void Resume() => _core.Resume();

    /// <summary>Replaces one worker: it completes its calls and exits, and if <see cref="PoolOptions.MaxWorkers"/> allows it, another one is ready before. No call fails because of it.</summary>
    /// <param name="processId">The worker's process id, from <see cref="Snapshot"/>.</param>
    /// <param name="serial">Its <see cref="WorkerSnapshot.Serial"/>, so that another worker that has got the same id is not meant; <c>null</c>, the default, for any.</param>
    /// <param name="cancellationToken">Ends the wait; the worker is replaced in any case.</param>
    /// <returns>Completes when it has exited: <c>true</c>; <c>false</c> at once when no such worker serves calls, or it is being replaced already.</returns>
    public Task<bool> ReplaceWorkerAsync(int processId, long? serial = null, CancellationToken cancellationToken = default) => WhenEndedAsync(_core.Replace(processId, serial), cancellationToken);

    /// <summary>
    /// Kills one worker and every process that it started, at once. Its running calls fail as those of a worker that was lost (WEIR2001), unless they are idempotent and may be run again; its crash report says that it was
    /// killed on request.
    /// </summary>
    /// <param name="processId">The worker's process id, from <see cref="Snapshot"/>.</param>
    /// <param name="serial">Its <see cref="WorkerSnapshot.Serial"/>, so that another worker that has got the same id is not meant; <c>null</c>, the default, for any.</param>
    /// <param name="by">Who asked for it, for the crash report alone; <c>null</c>, the default, for no name.</param>
    /// <param name="cancellationToken">Ends the wait; the worker is killed in any case.</param>
    /// <returns>Completes when it is gone: <c>true</c>; <c>false</c> at once when there is no such worker, or it is being killed already.</returns>
    public Task<bool> KillWorkerAsync(int processId, long? serial = null, string? by = null, CancellationToken cancellationToken = default) => WhenEndedAsync(_core.Kill(processId, serial, by), cancellationToken);

    /// <summary>The current state of the pool.</summary>
    public PoolSnapshot Snapshot() => _view.Snapshot() with { SharedData = _generations.Current(_core).SharedData?.Snapshot() ?? [] };

    /// <summary>
    /// Accepts no more calls, waits until all earlier calls have completed, and stops the workers. Completes after every
    /// <see cref="PoolOptions.OnCrash"/> callback has returned; a callback must not wait for it.
    /// </summary>
    /// <param name="cancellationToken">Stops the pool at once: waiting calls are rejected, and workers with running calls are killed. The pool is drained in any case when this returns.</param>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        Task draining;
        lock (_gate)
        {
            draining = _draining ??= EndAsync();
        }

        using (Callbacks.Register((Core: _core, Reports: _reports), static pool => pool.Core.Abort(), static (pool, failure) => pool.Reports.CallbackFailed(failure, "ending all calls at once"), cancellationToken))
        {
            await draining;
        }
    }

    /// <summary>The same as <see cref="DrainAsync"/> without a cancellation token.</summary>
    public async ValueTask DisposeAsync() => await DrainAsync();

    private static async Task<bool> WhenEndedAsync(IPoolWorker? worker, CancellationToken cancellationToken)
    {
        if (worker is not WorkerLifetime life)
        {
            return false;
        }

        await life.Ended.WaitAsync(cancellationToken);
        return true;
    }

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

    private async Task ReadAsync(SharedDataSet data, CancellationToken cancellationToken)
    {
        try
        {
            await data.UseAsync(cancellationToken);
        }
        catch (LaunchException failure)
        {
            throw new InvalidOperationException($"Pool '{Name}' cannot be reloaded, and keeps its workers. {failure.Message} See {failure.Code}.", failure);
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

    // What workers are started with now, and the options of the pool as they are now.
    private (PoolDefinition Definition, PoolOptions Options) Current()
    {
        var definition = _generations.Current(_core);
        var (settings, options) = (_core.CurrentSettings(), definition.Options.Copy());
        (options.MinWorkers, options.MaxWorkers, options.QueueLimit, options.IdleTimeout) =
            (settings.MinWorkers, settings.MaxWorkers, settings.QueueLimit, settings.IdleTimeout);
        return (definition, options);
    }

    // Only while _reloads is taken.
    private void Resize(PoolOptions options)
    {
        var current = _core.CurrentSettings();
        var next = current with { MinWorkers = options.MinWorkers, MaxWorkers = options.MaxWorkers, QueueLimit = options.QueueLimit, IdleTimeout = options.IdleTimeout };
        if (next == current)
        {
            return;
        }

        if (_definition.Capacity is { } capacity)
        {
            capacity.Minimum = SpareMinimum(next.MinWorkers);
        }

        _core.Resize(next);
        _log.Write((Name, next), static (logger, resized) => PoolLog.Resized(
            logger, resized.Name, resized.next.MinWorkers, resized.next.MaxWorkers, resized.next.QueueLimit, resized.next.IdleTimeout));
    }

    // The minimum, and one more worker as a replacement.
    private static int SpareMinimum(int minimum) => minimum + 1;

    private async Task EndAsync()
    {
        _core.Drain();
        await _core.Drained;
        await _lives.WhenEndedAsync();
        _shared.Close();
        _definition.Capacity?.Close();
        _definition.Meter.Remove(_reports.Tally);
        _generations.Current(_core).Limits.Group?.Release();
        _core.Dispose();
        _reports.Dispose();
        await _log.DisposeAsync();
    }
}
