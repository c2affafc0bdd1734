using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution;
using Weir.Execution.Diagnostics;
using Weir.Execution.Inline;
using Weir.Execution.Lanes;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Findings;
using Weir.Execution.Observation.Records;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir;

/// <summary>
/// Everything that runs calls in one application: owns the lane and the pools, starts them, and ends them in reverse
/// order. Created by <c>AddWeir</c>; one per application. May be used concurrently.
/// </summary>
public sealed class WeirRuntime : IAsyncDisposable
{
    private readonly Lane _lane;
    private readonly bool _usesLane;
    private readonly TimeProvider _time;
    private readonly TimeSpan? _drainTimeout;
    private readonly WeirMeter _meter;
    private readonly InlineDiagnostics? _diagnostics;
    private readonly Dictionary<string, WorkerPool> _pools = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, InlinePool> _inlinePools = new(StringComparer.OrdinalIgnoreCase);
    private readonly WeirOptions _options;
    private readonly IConfiguration? _configuration;
    private readonly SharedDataStore _shared = SharedDataStore.ForThisMachine();
    private readonly WorkerObserver _observer;
    private readonly ILogger _logger;
    private readonly RoutedPipeline _pipeline;
    private readonly Operation[] _operations;

    // What makes the parts that are observed once it records. Locked; as many as packages add while the application starts.
    private readonly List<Func<IObservedPart>> _parts = [];

    // Set when recording begins: while the application is created.
    private FindingWatch? _findings;

    // Of all isolated operations, also of those that run inline. Set while the runtime is created.
    private HashSet<string> _poolNames = [];

    // Set by Start, disposed by a drain.
    private MemoryShare? _memory;
    private ConfigurationReload? _reload;
    private ITimer? _opening;
    private int _isStarted;

    /// <summary>Assigns an executor to each operation.</summary>
    /// <param name="catalogs">The catalogs of the services.</param>
    /// <param name="options">Copied.</param>
    /// <param name="services">The application's services.</param>
    /// <exception cref="InvalidOperationException">
    /// The options contradict each other (WEIR3002), a worker's command line cannot be determined (WEIR3004), or the configuration is too large
    /// for a worker (WEIR3013).
    /// </exception>
    public WeirRuntime(WeirCatalogs catalogs, WeirOptions options, IServiceProvider services)
    {
        ArgumentNullException.ThrowIfNull(catalogs);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(services);

        var time = services.GetService(typeof(TimeProvider)) as TimeProvider ?? TimeProvider.System;
        var runsInline = options.RunInline ?? Debugger.IsAttached;
        if (options.DrainTimeout is { TotalDays: < 0 or > 49 } drain)
        {
            throw Invalid(nameof(options.DrainTimeout), $"{drain}", "set it to zero to 49 days, or to null to wait without a limit");
        }

        RequireThreshold(nameof(options.BlockingThreshold), options.BlockingThreshold, TimeSpan.FromMilliseconds(10));
        RequireThreshold(nameof(options.StarvationThreshold), options.StarvationThreshold, TimeSpan.FromMilliseconds(100));
        _drainTimeout = options.DrainTimeout;
        _time = time;
        _options = options;
        _configuration = services.GetService(typeof(IConfiguration)) as IConfiguration;
        var loggers = services.GetService(typeof(ILoggerFactory)) as ILoggerFactory ?? NullLoggerFactory.Instance;
        _logger = loggers.CreateLogger("Weir.Workers");
        _lane = new Lane(options.Lane, time, loggers.CreateLogger("Weir.Execution"));
        _meter = WeirMeter.For(services);
        _observer = new WorkerObserver(time);
        _diagnostics = InlineDiagnostics.TryCreate(options.BlockingThreshold, options.StarvationThreshold, loggers.CreateLogger("Weir.Execution"), _meter, time);

        var instances = ServiceInstances.Of(catalogs.Services, services.GetService<ContractRegistrations>());
        var inline = new InlineExecutor(instances);
        var lane = new LaneExecutor(_lane, instances);
        var operations = _operations = [.. catalogs.Services.SelectMany(static service => service.Operations)];
        CreatePools(catalogs, options, operations, runsInline, instances, loggers, time);
        if (runsInline)
        {
            CreateInlinePools(catalogs, options, operations, instances, loggers, time);
        }

        _usesLane = operations.Any(static operation => operation.Placement == Placement.Lane);
        if (_usesLane)
        {
            _meter.Add(_lane.Snapshot);
        }

        IOperationFilter[] filters = [.. options.Filters, .. services.GetServices<IOperationFilter>()];
        Pipeline = _pipeline = new RoutedPipeline(
            new ExecutorTable(operations.ToDictionary(
                static operation => operation,
                operation => new ExecutorTable.Row(Choose(operation), new FilterChain(filters, operation)))),
            services.GetRequiredService<IServiceScopeFactory>(),
            time);
        options.Recording.Validate();
        if (options.Recording.Enabled)
        {
            Record();
        }

        IExecutor Choose(Operation operation) => operation.Placement switch
        {
            Placement.Inline => _diagnostics is null ? inline : new InlineExecutor(instances, _diagnostics.Detect(operation)),
            Placement.Lane => lane,
            _ when instances.IsReplaced(operation.Service) => inline,
            _ when runsInline && !operation.Service.IsForeign => new InlinePoolExecutor(_inlinePools[operation.Pool!], MayWait(operation)),
            _ => _pools[operation.Pool!].Executor,
        };
    }

    /// <summary>
    /// A worker of any pool has failed, after its pool's <see cref="PoolOptions.OnCrash"/>. Raised on the worker's own flow, for which no call waits; what a handler throws is logged.
    /// </summary>
    public event Action<CrashReport>? WorkerCrashed;

    /// <summary>The pipeline that every call passes.</summary>
    public CallPipeline Pipeline { get; }

    /// <summary>The state of the lane now.</summary>
    public LaneSnapshot Lane => _lane.Snapshot();

    /// <summary>The state of the pools now, ordered by name. While isolated operations run inline, only the pools of foreign workers.</summary>
    public IReadOnlyList<PoolSnapshot> Pools => [.. _pools.Values.Select(static pool => pool.Snapshot()).OrderBy(static pool => pool.Name, StringComparer.OrdinalIgnoreCase)];

    /// <summary>
    /// The crash reports that are kept, the newest first: of every worker failure of all pools of the application, 1 MB in all, compressed. The newest is kept
    /// whatever its size; beyond the limit the oldest go first. In memory only. Empty until the first worker fails. May be read concurrently.
    /// </summary>
    public IReadOnlyList<CrashReportSummary> Reports => _observer.Reports.Summaries;

    /// <summary>One pool, to wait for it or to reload it. Only the application ends it.</summary>
    /// <param name="name">Its name; compared without regard to case.</param>
    /// <exception cref="InvalidOperationException">There is no such pool, or isolated operations run inline.</exception>
    public WorkerPool GetPool(string name) =>
        _pools.GetValueOrDefault(name)
        ?? throw new InvalidOperationException(
            _pools.Count == 0 ? $"There is no pool '{name}': isolated operations run inside the host (WeirOptions.RunInline, or a debugger), or there are none." : $"There is no pool '{name}'; the pools are: {string.Join(", ", _pools.Keys.Order(StringComparer.OrdinalIgnoreCase))}.");

    /// <summary>
    /// A crash report by the id that logs, <see cref="WorkerLostException.ReportId"/> and the member <c>report</c> of a problem name. It is kept before the calls that were lost with
    /// a worker that served complete; the report of a worker that could not start follows when its process has ended. May be called concurrently.
    /// </summary>
    /// <param name="id">The id; compared exactly.</param>
    /// <returns>The report; <c>null</c> where it is not known, or was dropped for later ones: see <see cref="Reports"/>.</returns>
    public CrashReport? FindReport(string id)
    {
        ArgumentNullException.ThrowIfNull(id);
        return _observer.Reports.Find(id);
    }

    /// <summary>
    /// Cancels a call that runs or waits, as an operator does. One that came over HTTP is cut off: its caller sees the connection end, or the stream of HTTP/2 reset. One from code ends with <see cref="OperationCanceledException"/>.
    /// Code in a worker that ignores its token is killed with its worker after <see cref="PoolOptions.CancelGrace"/>; code that ignores it in this process runs until it ends.
    /// Calls are known where the application records (<see cref="RecordingOptions"/>): at most 4,096 at once. Calls from code can be cancelled where <c>MapWeirDashboard</c> has an <c>ActionPolicy</c>, and attempts of jobs never: cancel the job.
    /// </summary>
    /// <param name="id">The call, as the dashboard and <c>weir ps</c> name it: digits, with or without <c>#</c>.</param>
    /// <returns><c>false</c> where there is no such call, it has ended, or it cannot be cancelled.</returns>
    public bool CancelCall(string id)
    {
        ArgumentNullException.ThrowIfNull(id);
        return Recorder is { } recorder && long.TryParse(id.StartsWith('#') ? id.AsSpan(1) : id, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && recorder.TryCancel(number);
    }

    /// <summary>Waits until the minimum of workers of every pool has been ready; completes at once where all minima are zero.</summary>
    /// <param name="cancellationToken">Stops waiting; the pools continue.</param>
    /// <exception cref="WorkerLostException">A worker of one of them cannot start (WEIR2014).</exception>
    /// <exception cref="CallRejectedException">They are draining.</exception>
    public Task WaitUntilReadyAsync(CancellationToken cancellationToken = default) =>
        Task.WhenAll([.. _pools.Values.Select(pool => pool.WaitUntilReadyAsync(cancellationToken)), .. _inlinePools.Values.Select(pool => pool.WaitUntilReadyAsync(cancellationToken))]);

    /// <summary>
    /// Replaces the workers of all pools, without a failed call: see <see cref="WorkerPool.ReloadAsync"/>. New workers get the host's
    /// current environment and configuration, and after a hot reload of the host's code also another build of the application.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the reloads continue.</param>
    /// <returns>Completes when the minimum of every pool is ready and no old worker gets calls any more.</returns>
    /// <exception cref="WorkerLostException">New workers of a pool cannot start (WEIR2014). Its old workers are kept.</exception>
    /// <exception cref="InvalidOperationException">A limit of a pool cannot be applied any more (WEIR3003), its configuration is too large (WEIR3013), or its shared data cannot be read (WEIR2024). Its old workers are kept.</exception>
    /// <exception cref="CallRejectedException">The pools are draining (WEIR2009).</exception>
    public Task ReloadAsync(CancellationToken cancellationToken = default) =>
        ReloadAsync(_shared.NextStamp(), cancellationToken);

    /// <summary>
    /// Starts the lane's threads, if an operation needs them, and the pools' first workers. From now on the size of the pools follows the
    /// configuration. A second call changes nothing.
    /// </summary>
    /// <param name="workerDelay">
    /// How long no worker starts but for a call that needs one; zero or more, zero by default. Workers that start use the processors that
    /// the application needs for its own first calls.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The delay is negative, or longer than 49 days.</exception>
    public void Start(TimeSpan workerDelay = default)
    {
        // The methods that throw it are generic: the runtime would compile them at start.
        if (workerDelay < TimeSpan.Zero || workerDelay > TimeSpan.FromDays(49))
        {
            throw new ArgumentOutOfRangeException(nameof(workerDelay), workerDelay, "Set it to zero to 49 days.");
        }

        if (Interlocked.Exchange(ref _isStarted, 1) != 0)
        {
            return;
        }

        if (_usesLane)
        {
            _lane.StartThreads();
        }

        foreach (var pool in _inlinePools.Values)
        {
            pool.Open();
        }

        if (_pools.Count > 0)
        {
            if (workerDelay > TimeSpan.Zero)
            {
                _opening = Callbacks.CreateTimer(_time, this, static runtime => runtime.OpenPools(), static (runtime, failure) => runtime.OnOpenFailed(failure));
                _opening.Change(workerDelay, Timeout.InfiniteTimeSpan);
            }
            else
            {
                OpenPools();
            }

            HotReload.Changed -= OnCodeChanged;
            HotReload.Changed += OnCodeChanged;
            _reload ??= ConfigurationReload.TryStart(_configuration, _options, _poolNames, _pools.Values, _logger);
        }
    }

    /// <summary>
    /// Accepts no more calls on the lane and, when its calls have completed, in the pools; waits until all accepted calls have
    /// completed, and ends threads and workers.
    /// </summary>
    /// <param name="cancellationToken">
    /// Stops waiting: waiting calls are rejected then, calls that run in a worker are killed with it, and calls that still block a thread of
    /// the lane are abandoned with their thread, which does not keep the process alive.
    /// </param>
    public async Task DrainAsync(CancellationToken cancellationToken)
    {
        HotReload.Changed -= OnCodeChanged;
        _opening?.Dispose();
        _reload?.Dispose();
        _diagnostics?.Dispose();
        Recorder?.Dispose();

        // Operations on the lane may call operations in the pools, never the other way round.
        await _lane.DrainAsync(cancellationToken);
        _meter.Remove(_lane.Snapshot);
        await Task.WhenAll([.. _pools.Values.Select(pool => pool.DrainAsync(cancellationToken)), .. _inlinePools.Values.Select(pool => pool.DrainAsync(cancellationToken))]);
    }

    /// <summary>The same as <see cref="DrainAsync"/>, but waits at most <see cref="WeirOptions.DrainTimeout"/>; returns at once when it has been drained.</summary>
    public async ValueTask DisposeAsync()
    {
        using var patience = _drainTimeout is { } timeout ? new CancellationTokenSource(timeout, _time) : new CancellationTokenSource();
        await DrainAsync(patience.Token);
    }

    /// <summary>What is always kept of workers.</summary>
    internal WorkerObserver Workers => _observer;

    /// <summary>A pool with workers; <c>null</c> where there is none of that name.</summary>
    internal WorkerPool? FindPool(string name) => _pools.GetValueOrDefault(name);

    /// <summary>What is recorded; <c>null</c> where that was not asked for.</summary>
    internal Recorder? Recorder => _pipeline.Recorder;

    /// <summary>What is wrong; <c>null</c> where recording was not asked for.</summary>
    internal FindingWatch? Findings => _findings;

    /// <summary>Reads what people see of the application. Begins to record, if that was not asked for before: while the application is created.</summary>
    /// <param name="name">The application's name.</param>
    internal ApplicationReader ReaderOf(string name) => new(name, Record(), _findings!, _observer, _time);

    /// <summary>Reads what people see of one pool, one operation, or the host. After <see cref="ReaderOf"/>.</summary>
    /// <param name="application">Reads the application.</param>
    internal DetailReader DetailsOf(ApplicationReader application) => new(application, Record(), _observer, _operations, FindPool, _time);

    /// <summary>Begins to record, if that was not asked for before: while the application is created.</summary>
    internal Recorder Record()
    {
        if (_pipeline.Recorder is { } present)
        {
            return present;
        }

        var recorder = new Recorder(_time, _options.Recording.HistoryBytes, _observer);
        foreach (var pool in _pools.Values.Select(static pool => pool.Observe()).Concat(_inlinePools.Values).OrderBy(static pool => pool.Name, StringComparer.OrdinalIgnoreCase))
        {
            recorder.Add(pool);
        }

        if (_usesLane)
        {
            recorder.Add(new ObservedLane(_lane));
        }

        var findings = new FindingWatch(recorder, _observer, () => _diagnostics?.Read() ?? StarvationReading.None, _time);
        lock (_parts)
        {
            _parts.ForEach(create => findings.Add(create()));
            _parts.Clear();
            _findings = findings;
        }

        return _pipeline.Recorder = recorder;
    }

    /// <summary>A part of the application is observed once it records: at once, later, or never. While the application starts.</summary>
    /// <param name="create">Makes it; called only then.</param>
    internal void Observe(Func<IObservedPart> create)
    {
        lock (_parts)
        {
            if (_findings is { } findings)
            {
                findings.Add(create());
            }
            else
            {
                _parts.Add(create);
            }
        }
    }

    // One stamp: what several pools share is read once.
    private Task ReloadAsync(long stamp, CancellationToken cancellationToken) => Task.WhenAll(_pools.Values.Select(pool => pool.ReloadAtAsync(null, stamp, cancellationToken)));

    private void OpenPools()
    {
        HostMemory.Report(_logger, _memory, _pools.Values);
        HostMemory.ReportShared(_logger, _pools.Values.Select(static pool => (pool.Name, pool.Options)), SharedDataCheck.FreeMemory);
        foreach (var pool in _pools.Values)
        {
            pool.Open();
        }
    }

    private void OnOpenFailed(Exception failure) =>
        PoolLog.CallbackFailed(_logger, failure, string.Join(", ", _pools.Keys.Order(StringComparer.OrdinalIgnoreCase)), "starting the minimum of workers");

    private void OnCodeChanged()
    {
        var pools = _pools.Values.Where(static pool => pool.RunsOwnCode).OrderBy(static pool => pool.Name, StringComparer.OrdinalIgnoreCase).ToArray();
        foreach (var pool in pools)
        {
            pool.AcceptAnyBuild();
        }

        if (pools.Length > 0)
        {
            PoolLog.WorkersRunOldCode(_logger, string.Join(", ", pools.Select(static pool => pool.Name)));
        }
    }

    // Whether a synchronous operation may block because it waits for items: those it returns, or those of its caller.
    private static bool MayWait(Operation operation) => operation.IsSynchronous && (operation.ResultKind == ResultKind.Stream || operation.StreamsRequest);

    private static void RequireThreshold(string option, TimeSpan? value, TimeSpan least)
    {
        if (value < least || value > TimeSpan.FromHours(1))
        {
            throw Invalid(option, $"{value}", $"set it to {least.TotalMilliseconds} ms to 1 hour, or to null to turn it off");
        }
    }

    private static InvalidOperationException Invalid(string option, string value, string step) => new($"{option} is {value}; {step}. See {WeirCodes.InvalidOptions}.");

    // The serializer of an assembly is its own: it is checked here, so that no worker starts that could not read its arguments.
    private static void RequireJson(WeirCatalogs catalogs, bool runsInline)
    {
        foreach (var catalog in runsInline ? [] : catalogs.Catalogs)
        {
            var json = catalog.CreateJson();
            JsonValueSerializer.ForWorkers(() => json).Require(json.WorkerTypes, "between host and worker");
        }
    }

    // Pools whose operations run in this process: under a debugger, or with RunInline.
    private void CreateInlinePools(WeirCatalogs catalogs, WeirOptions options, Operation[] operations, ServiceInstances instances, ILoggerFactory loggers, TimeProvider time)
    {
        var inline = operations.Where(operation => operation.Placement == Placement.Isolated && !operation.Service.IsForeign && !instances.IsReplaced(operation.Service)).ToArray();
        var more = options.InlineServices;
        foreach (var name in inline.Select(static operation => operation.Pool!).Distinct(StringComparer.OrdinalIgnoreCase))
        {
            var own = inline.Where(operation => string.Equals(operation.Pool, name, StringComparison.OrdinalIgnoreCase)).ToArray();
            (ServiceCatalog, Service[])[] served =
                [.. catalogs.Catalogs.Select(catalog => (catalog, catalog.Services.Where(service => own.Any(operation => operation.Service == service)).ToArray()))];
            var configuration = WorkerConfiguration.IsUsed(catalogs.Catalogs, name, own) ? _configuration : null;
            _inlinePools[name] = new InlinePool(
                name, options.OptionsOf(name), configuration, loggers, time, (startup, warmUp) => InlineServices.Build(served, name, _lane, startup, warmUp, more), _shared);
        }
    }

    private void CreatePools(WeirCatalogs catalogs, WeirOptions options, Operation[] operations, bool runsInline, ServiceInstances instances, ILoggerFactory loggers, TimeProvider time)
    {
        _poolNames = operations.Where(static operation => operation.Placement == Placement.Isolated).Select(static operation => operation.Pool!).ToHashSet(StringComparer.OrdinalIgnoreCase);
        options.RequirePools(_poolNames);
        SharedDataCheck.RequireOneSource(_poolNames.Order(StringComparer.OrdinalIgnoreCase).Select(name => (name, options.OptionsOf(name).Merged())));

        // A foreign service has no class in the host, so it runs in its pool also where the others run inline.
        var names = operations.Where(operation => operation.Placement == Placement.Isolated && !instances.IsReplaced(operation.Service) && (!runsInline || operation.Service.IsForeign))
            .Select(static operation => operation.Pool!).ToHashSet(StringComparer.OrdinalIgnoreCase);

        RequireJson(catalogs, runsInline);
        var all = names.ToDictionary(static name => name, options.OptionsOf, StringComparer.OrdinalIgnoreCase);
        var minimum = 0L;
        foreach (var pool in all.Values)
        {
            minimum += pool.MinWorkers;
        }

        if (options.MaxWorkers is { } most && (most < 1 || most < minimum))
        {
            throw Invalid(
                nameof(options.MaxWorkers), $"{most}",
                $"set it to 1 or more, and to at least the MinWorkers of all pools together ({minimum}; {nameof(options.PoolDefaults)}.MinWorkers sets it for every pool that does not), or to null for no limit of its own");
        }

        if (all.Count == 0)
        {
            return;
        }

        // It reads a dozen files of the kernel.
        var capacity = HostCapacity.ForThisMachine(options.MaxWorkers, time);
        _memory = MemoryShare.Of(HostMemory.Bound(), Math.Min(options.MaxWorkers ?? int.MaxValue, all.Values.Sum(static pool => (long)pool.MaxWorkers)), SharedDataCheck.KnownBytes(all.Values));
        foreach (var (name, pool) in all)
        {
            _pools[name] = WorkerPool.Create(name, catalogs, pool, _configuration, loggers, time, capacity, _meter, _memory, report => WorkerCrashed?.Invoke(report), _shared, _observer);
        }
    }
}
