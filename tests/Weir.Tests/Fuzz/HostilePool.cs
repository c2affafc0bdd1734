using System.Buffers.Binary;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Fuzz;

/// <summary>A pool whose workers are hostile and exist in memory, mostly one at a time; every call must complete.</summary>
internal sealed class HostilePool : IWorkerLauncher, IAsyncDisposable
{
    public const int MostPayload = 1 << 20;

    // Real time: an operation that takes longer hangs.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly ManualTime _time = new();
    private readonly Action<HostileWorker> _script;
    private readonly int _seed;
    private readonly int _workers;
    private readonly bool _hasSharedMemory;
    private readonly WorkerPool _pool;
    private HostileWorker? _last;
    private int _live;
    private int _most;
    private int _launched;

    /// <param name="seed">The seed of all random values.</param>
    /// <param name="script">Sets up the behaviour of a new worker.</param>
    /// <param name="workers">The maximum number of workers at a time.</param>
    /// <param name="hasSharedMemory">Whether their data goes through shared memory.</param>
    public HostilePool(int seed, Action<HostileWorker> script, int workers = 1, bool hasSharedMemory = false)
    {
        _workers = workers;
        _hasSharedMemory = hasSharedMemory;
        _seed = seed;
        _script = script;
        _pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "hostile",
                Options = new PoolOptions { MinWorkers = 0, MaxWorkers = workers, IdleTimeout = null, RestartBudget = 1000, PayloadLimitBytes = MostPayload, OnCrash = OnCrash },
                Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
                Launcher = this,
                Operations = FuzzedCall.Run.Service.Operations,
                Loggers = NullLoggerFactory.Instance,
                Time = _time,
            },
            []);
        _pool.Open();
    }

    /// <summary>The error that the host itself made with a worker, if it made one.</summary>
    public string? OwnError { get; private set; }

    public int Launched => Volatile.Read(ref _launched);

    public WorkerLimits Prepare(ILimitOptions options) => WorkerLimits.None;

    public Task<WorkerHandle> LaunchAsync(LaunchRequest request)
    {
        var number = Interlocked.Increment(ref _launched);
        var live = Interlocked.Increment(ref _live);
        _most = Math.Max(_most, live);
        var worker = new HostileWorker(number, unchecked((_seed * 1_000_003) + number), () => Interlocked.Decrement(ref _live), _hasSharedMemory);
        _script(worker);
        _last = worker;
        return Task.FromResult<WorkerHandle>(worker);
    }

    /// <summary>Makes a call; a tenth of a second passes before the next.</summary>
    /// <returns>How it ended.</returns>
    public Task<string> CallAsync(ulong key)
    {
        var call = new FuzzedCall(key);
        return EndAsync(_pool.Pipeline.RunAsync(call, default), () => Outcomes.Value(call.Value));
    }

    /// <summary>The same for a call with items.</summary>
    /// <returns>The items, and how it ended.</returns>
    public async Task<string> StreamAsync(ulong key)
    {
        var pump = new ListingPump();
        var outcome = await EndAsync(_pool.Pipeline.RunStreamAsync(new FuzzedStream(key), pump, default), static () => Outcomes.End);
        return pump.Items + outcome;
    }

    /// <summary>Ends the worker that was started last.</summary>
    public void KillLast() => _last?.Die(9);

    /// <summary>Drains the pool and checks that nothing is left.</summary>
    public async ValueTask DisposeAsync()
    {
        await _pool.DrainAsync(TestContext.Current.CancellationToken).WaitAsync(Patience, TimeProvider.System);
        Assert.Empty(_pool.Snapshot().Workers);
        Assert.Equal((0, 0), (Volatile.Read(ref _live), _time.ActiveTimers));
        Assert.InRange(_most, 1, _workers);
        Assert.Null(OwnError);
    }

    // A worker is ended because of a violation; an exception of another kind is an error of the host.
    private void OnCrash(CrashReport report)
    {
        if (report.Cause.Contains(" it failed: ", StringComparison.Ordinal))
        {
            OwnError = report.Cause;
        }
    }

    private async Task<string> EndAsync(ValueTask running, Func<string> read)
    {
        try
        {
            await running.AsTask().WaitAsync(Patience, TimeProvider.System);
            return read();
        }
        catch (TimeoutException)
        {
            return "nothing: it hangs";
        }
        catch (WeirException thrown)
        {
            return Outcomes.Of(thrown);
        }
        finally
        {
            _time.Advance(TimeSpan.FromMilliseconds(100));
        }
    }

    /// <summary>Which call a CALL is.</summary>
    public static ulong KeyOf(byte[] payload)
    {
        foreach (var part in CallPayload.Read(payload).Parts)
        {
            return BinaryPrimitives.ReadUInt64LittleEndian(part.Bytes.Span);
        }

        throw new InvalidOperationException("A CALL without its argument.");
    }

    private sealed class ListingPump : IStreamPump
    {
        public string Items { get; private set; } = "";

        public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
        {
            while (await source.MoveNextAsync())
            {
                Items += Outcomes.Item(((EncodedItemSource)source).Current.Span);
            }
        }

        public void Pump(BlockingItemSource source, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
