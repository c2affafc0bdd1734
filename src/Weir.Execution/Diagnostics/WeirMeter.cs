using System.Diagnostics.Metrics;
using Weir.Execution.Pools.Options;

namespace Weir.Execution.Diagnostics;

/// <summary>
/// The instruments of one application, in the meter <c>Weir</c>. The counts of its pools and its lane are read when a listener
/// collects; a time is recorded only while there is a listener. Any thread. <c>docs/guide/meters.md</c> has all instruments in one table.
/// </summary>
internal sealed class WeirMeter
{
    public const string Name = "Weir";
    public const string PoolTag = "weir.pool.name";
    public const string OperationTag = "weir.operation";
    private const string StateTag = "weir.state";
    private const string StatusTag = "weir.call.status";
    private const string EndTag = "weir.worker.end";

    // By number.
    private static readonly KeyValuePair<string, object?>[] Statuses =
        Tags(StatusTag, ["ok", "bad_request", "rejected", "deadline_exceeded", "cancelled", "handler_failed", "worker_lost", "protocol_violation"]);

    private static readonly KeyValuePair<string, object?>[] Ends = Tags(EndTag, ["drained", "start", "call", "idle", "drain", "internal"]);

    private static readonly KeyValuePair<string, object?> Starting = new(StateTag, "starting");
    private static readonly KeyValuePair<string, object?> Idle = new(StateTag, "idle");
    private static readonly KeyValuePair<string, object?> Busy = new(StateTag, "busy");
    private static readonly KeyValuePair<string, object?> Exiting = new(StateTag, "exiting");

    // In seconds, from a tenth of a millisecond: without advice a collector uses buckets that are meant for milliseconds.
    private static readonly InstrumentAdvice<double> Seconds = new()
    {
        HistogramBucketBoundaries = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    };

    private static readonly Meter OfThisProcess = new(Name);

    private readonly Lock _gate = new();

    // The arrays are replaced under _gate and never changed. One entry for each pool, lane or application.
    private volatile MeteredPool[] _pools = [];
    private volatile Func<LaneSnapshot>[] _lanes = [];
    private volatile Func<IEnumerable<Measurement<long>>>[] _blockedCalls = [];

    public WeirMeter(Meter meter)
    {
        meter.CreateObservableUpDownCounter<long>("weir.pool.workers", Workers, "{worker}", "Workers of a pool, by state.");
        meter.CreateObservableUpDownCounter<long>("weir.pool.queue.length", () => Each(static pool => pool.Queued), "{call}", "Calls that wait for a worker.");
        meter.CreateObservableUpDownCounter<long>("weir.pool.queue.outside", () => Each(static pool => pool.WaitingForCapacity), "{call}", "Callers that wait for a place in the queue.");
        meter.CreateObservableCounter<long>("weir.pool.calls", Calls, "{call}", "Completed calls, by status.");
        meter.CreateObservableCounter<long>("weir.pool.calls.retried", () => Each(static pool => pool.Retried), "{call}", "Retries of idempotent calls after a worker failed.");
        meter.CreateObservableCounter<long>("weir.pool.workers.started", () => Each(static pool => pool.Started), "{worker}", "Workers that were started.");
        meter.CreateObservableCounter<long>("weir.pool.workers.ended", WorkersEnded, "{worker}", "Workers that have ended, by cause.");
        QueueTime = meter.CreateHistogram<double>("weir.pool.queue.time", "s", "How long a call waited from its arrival until it was assigned to a worker.", tags: null, Seconds);
        CallTime = meter.CreateHistogram<double>("weir.pool.call.time", "s", "How long a call took from its arrival until it completed, by operation and status.", tags: null, Seconds);
        StartTime = meter.CreateHistogram<double>("weir.pool.start.time", "s", "How long a worker took from HELLO to READY.", tags: null, Seconds);
        meter.CreateObservableCounter<long>("weir.pool.measurements.lost", MeasurementsLost, "{measurement}", "Times of calls that were not recorded because a listener was too slow.");
        meter.CreateObservableUpDownCounter<long>("weir.lane.threads", Threads, "{thread}", "Threads of the lane, by state.");
        meter.CreateObservableUpDownCounter<long>("weir.lane.queue.length", () => _lanes.Select(static lane => new Measurement<long>(lane().Queued)), "{call}", "Calls that wait for a thread of the lane.");
        meter.CreateObservableCounter<long>("weir.inline.calls.blocked", () => _blockedCalls.SelectMany(static read => read()), "{call}", "Calls that blocked a thread of the thread pool, by operation.");
        ThreadPoolTime = meter.CreateHistogram<double>("weir.thread_pool.queue.time", "s", "How long work waited for a thread of the thread pool.", tags: null, Seconds);
    }

    /// <summary>For pools outside an application, and applications without their own meters.</summary>
    public static WeirMeter Shared => LazyShared.Value;

    /// <summary>How long a call waited, in seconds.</summary>
    public Histogram<double> QueueTime { get; }

    /// <summary>How long a call took from its arrival to its completion, in seconds.</summary>
    public Histogram<double> CallTime { get; }

    /// <summary>How long a worker took from HELLO to READY, in seconds.</summary>
    public Histogram<double> StartTime { get; }

    /// <summary>How long work waited for a thread of the thread pool, in seconds.</summary>
    public Histogram<double> ThreadPoolTime { get; }

    private static Lazy<WeirMeter> LazyShared { get; } = new(static () => new WeirMeter(OfThisProcess));

    /// <summary>The instance of an application; its container owns the meter.</summary>
    public static WeirMeter For(IServiceProvider services) =>
        services.GetService(typeof(IMeterFactory)) is IMeterFactory factory ? new WeirMeter(factory.Create(new MeterOptions(Name))) : Shared;

    public void Add(PoolMetrics tally, Func<PoolStatistics> read)
    {
        lock (_gate)
        {
            _pools = [.. _pools, new MeteredPool(tally, read)];
        }
    }

    public void Remove(PoolMetrics tally)
    {
        lock (_gate)
        {
            _pools = [.. _pools.Where(pool => pool.Tally != tally)];
        }
    }

    public void Add(Func<LaneSnapshot> lane)
    {
        lock (_gate)
        {
            _lanes = [.. _lanes, lane];
        }
    }

    public void Remove(Func<LaneSnapshot> lane)
    {
        lock (_gate)
        {
            _lanes = [.. _lanes.Where(one => one != lane)];
        }
    }

    public void Add(Func<IEnumerable<Measurement<long>>> blockedCalls)
    {
        lock (_gate)
        {
            _blockedCalls = [.. _blockedCalls, blockedCalls];
        }
    }

    public void Remove(Func<IEnumerable<Measurement<long>>> blockedCalls)
    {
        lock (_gate)
        {
            _blockedCalls = [.. _blockedCalls.Where(one => one != blockedCalls)];
        }
    }

    /// <summary>The tag of a status.</summary>
    public static KeyValuePair<string, object?> TagOf(CallStatus status) => Statuses[(int)status];

    private static KeyValuePair<string, object?>[] Tags(string name, string[] values)
    {
        var tags = new KeyValuePair<string, object?>[values.Length];
        for (var i = 0; i < values.Length; i++)
        {
            tags[i] = new KeyValuePair<string, object?>(name, values[i]);
        }

        return tags;
    }

    private IEnumerable<Measurement<long>> Each(Func<PoolStatistics, long> read) => _pools.Select(pool => new Measurement<long>(read(pool.Read()), pool.Tally.Tag));

    private IEnumerable<Measurement<long>> Workers()
    {
        foreach (var pool in _pools)
        {
            var (figures, tag) = (pool.Read(), pool.Tally.Tag);
            yield return new Measurement<long>(figures.Starting, tag, Starting);
            yield return new Measurement<long>(figures.Idle, tag, Idle);
            yield return new Measurement<long>(figures.Busy, tag, Busy);
            yield return new Measurement<long>(figures.Exiting, tag, Exiting);
        }
    }

    private IEnumerable<Measurement<long>> Calls() =>
        from pool in _pools
        from status in Enumerable.Range(0, Statuses.Length)
        select new Measurement<long>(pool.Tally.Calls((CallStatus)status), pool.Tally.Tag, Statuses[status]);

    private IEnumerable<Measurement<long>> MeasurementsLost() => _pools.Select(static pool => new Measurement<long>(pool.Tally.MeasurementsLost, pool.Tally.Tag));

    private IEnumerable<Measurement<long>> WorkersEnded() =>
        from pool in _pools
        from end in Enumerable.Range(0, Ends.Length)
        select new Measurement<long>(pool.Tally.Workers((WorkerExitKind)end), pool.Tally.Tag, Ends[end]);

    private IEnumerable<Measurement<long>> Threads()
    {
        foreach (var lane in _lanes)
        {
            var snapshot = lane();
            yield return new Measurement<long>(snapshot.Threads - snapshot.Busy, Idle);
            yield return new Measurement<long>(snapshot.Busy, Busy);
        }
    }

    private sealed record MeteredPool(PoolMetrics Tally, Func<PoolStatistics> Read);
}
