using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Threading;

namespace Weir.Execution.Inline;

/// <summary>
/// A pool whose operations run in the host, under a debugger or with <see cref="WeirOptions.RunInline"/>. Its services are those that a worker
/// of it would have: made by the <c>[WorkerServices]</c> methods, in containers of its own, in the background when the application starts, or by
/// the first call where the pool has no minimum of workers. Where they cannot be made, calls fail as those do whose worker cannot start.
/// May be used concurrently.
/// </summary>
internal sealed class InlinePool : IAsyncDisposable, IObservedPool
{
    // A start that failed is tried again by a later call: a debugger may have changed what it needs.
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly string _name;
    private readonly PoolOptions _options;
    private readonly IConfiguration? _configuration;
    private readonly ILoggerFactory _loggers;
    private readonly TimeProvider _time;
    private readonly Func<WorkerStartup, bool, InlineServices> _build;
    private readonly SharedDataSet? _data;
    private readonly CancellationTokenSource _stopping = new();
    private readonly Lock _gate = new();

    // All of the following under _gate.
    private TaskCompletionSource<InlineServices>? _building;
    private long _failedAt;
    private int _calls;
    private long _ended;
    private bool _isClosed;
    private TaskCompletionSource? _idle;

    /// <param name="name">The pool's name.</param>
    /// <param name="options">Its options, which are checked here and copied.</param>
    /// <param name="configuration">The host's.</param>
    /// <param name="loggers">The host's.</param>
    /// <param name="time">The clock.</param>
    /// <param name="build">Makes the services; the flag says whether they are warmed up. Runs user code.</param>
    /// <param name="store">Has what the pool shares with others; <c>null</c> for a pool without an application.</param>
    /// <exception cref="InvalidOperationException">The options contradict each other (WEIR3002).</exception>
    public InlinePool(
        string name, PoolOptions options, IConfiguration? configuration, ILoggerFactory loggers, TimeProvider time, Func<WorkerStartup, bool, InlineServices> build, SharedDataStore? store = null)
    {
        options = options.Merged();
        options.Validate(name);
        _data = options.SharedDataSources.Count == 0 ? null : new SharedDataSet(store ?? SharedDataStore.Shared, options.SharedDataSources, isPortable: false, stamp: 0);
        (_name, _options, _configuration, _loggers, _time, _build) = (name, options, configuration, loggers, time, build);
    }

    public string Name => _name;

    /// <summary>Whether its operations get the caller.</summary>
    public bool SendsCaller => _options.SendsCaller;

    /// <summary>Makes the services in the background where the pool has a minimum of workers.</summary>
    public void Open()
    {
        if (_options.MinWorkers > 0)
        {
            _ = GetAsync();
        }
    }

    /// <summary>Completes when the services are there; at once where the pool has no minimum of workers.</summary>
    public Task WaitUntilReadyAsync(CancellationToken cancellationToken) => _options.MinWorkers > 0 ? GetAsync().WaitAsync(cancellationToken) : Task.CompletedTask;

    /// <summary>The services of a call that begins; <see cref="End"/> follows once for each that was given.</summary>
    /// <exception cref="WorkerLostException">They cannot be made (WEIR2014).</exception>
    /// <exception cref="CallRejectedException">The pool is draining (WEIR2009).</exception>
    public async ValueTask<InlineServices> BeginAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                throw new CallRejectedException(WeirCodes.Draining, $"Pool '{_name}' is draining and accepts no more calls; send the call to another host. See {WeirCodes.Draining}.");
            }

            _calls++;
        }

        try
        {
            return await GetAsync().WaitAsync(cancellationToken);
        }
        catch
        {
            End();
            throw;
        }
    }

    /// <summary>A call has ended.</summary>
    public void End()
    {
        lock (_gate)
        {
            _ended++;
            if (--_calls == 0)
            {
                _idle?.TrySetResult();
            }
        }
    }

    public PoolReading Read()
    {
        lock (_gate)
        {
            return new PoolReading { RunsInline = true, Busy = _calls, MostBusy = _calls, Succeeded = _ended, IsDraining = _isClosed };
        }
    }

    /// <summary>Accepts no more calls, waits for those that run, and disposes the services.</summary>
    /// <param name="cancellationToken">Ends the wait: the services are disposed in any case.</param>
    public async Task DrainAsync(CancellationToken cancellationToken)
    {
        Task idle;
        TaskCompletionSource<InlineServices>? building;
        lock (_gate)
        {
            if (_isClosed)
            {
                return;
            }

            _isClosed = true;
            _idle = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            idle = _calls == 0 ? Task.CompletedTask : _idle.Task;
            building = _building;
        }

        await _stopping.CancelAsync();
        try
        {
            await idle.WaitAsync(cancellationToken);
            if (building is not null)
            {
                await (await building.Task.WaitAsync(cancellationToken)).DisposeAsync();
            }
        }
        catch (WeirException)
        {
            // It was never built, and the log has the reason.
        }
        catch (OperationCanceledException)
        {
            if (building?.Task is { IsCompletedSuccessfully: true } built)
            {
                await (await built).DisposeAsync();
            }
        }

        _data?.Drop();
    }

    public async ValueTask DisposeAsync()
    {
        await DrainAsync(CancellationToken.None);
        _stopping.Dispose();
    }

    private Task<InlineServices> GetAsync()
    {
        lock (_gate)
        {
            if (_building is null || (_building.Task.IsFaulted && _time.GetElapsedTime(_failedAt) >= RetryAfter))
            {
                _building = new TaskCompletionSource<InlineServices>(TaskCreationOptions.RunContinuationsAsynchronously);
                Callbacks.Queue((Pool: this, Building: _building), static one => one.Pool.Build(one.Building), static (one, failure) => one.Pool.Fail(one.Building, "start", failure));
            }

            return _building.Task;
        }
    }

    private void Build(TaskCompletionSource<InlineServices> building)
    {
        try
        {
            building.TrySetResult(_build(Startup(), _options.WarmUp));
        }
        catch (InlineStartException failure)
        {
            Fail(building, failure.Phase, failure.InnerException!);
        }
    }

    private WorkerStartup Startup() => new()
    {
        Pool = _name,
        Configuration = new ConfigurationBuilder().AddInMemoryCollection(WorkerConfiguration.From(_configuration, _options)!).Build(),
        LoggerFactory = new InlineLoggers(_loggers),
        Stopping = _stopping.Token,
        SharedDataReader = _data is null ? null : new InlineSharedData(_name, _data, _stopping.Token).Read,
    };

    private void Fail(TaskCompletionSource<InlineServices> building, string phase, Exception failure)
    {
        PoolLog.InlineStartFailed(_loggers.CreateLogger($"Weir.Workers.{_name}"), failure, _name, phase);
        lock (_gate)
        {
            _failedAt = _time.GetTimestamp();
        }

        building.TrySetException(new WorkerLostException(
            WeirCodes.WorkerStartFailed,
            $"The services of pool '{_name}', whose operations run in the host (RunInline, or a debugger), could not be made: it failed in phase '{phase}': {failure.GetType()}: {failure.Message} See {WeirCodes.WorkerStartFailed}.",
            _name,
            Environment.ProcessId,
            $"start failed in phase '{phase}'")
        {
            MayHaveRun = false,
        });
    }

    // The container may add providers to a factory that it knows: the host's own must not get itself as one.
    private sealed class InlineLoggers(ILoggerFactory loggers) : ILoggerFactory
    {
        public ILogger CreateLogger(string categoryName) => loggers.CreateLogger(categoryName);

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }
}
