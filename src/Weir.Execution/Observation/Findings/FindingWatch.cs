namespace Weir.Execution.Observation.Findings;

/// <summary>The findings of an application: looked for after each tick of its recorder, and when a person looks. Any thread.</summary>
internal sealed class FindingWatch
{
    private static readonly TimeSpan EventTime = TimeSpan.FromMinutes(10);

    // As many calls as findings can name.
    private const int MostCalls = 200;
    private const int MinuteOfTens = 6;

    // A file is read for each worker with a limit.
    private static readonly TimeSpan MemoryInterval = TimeSpan.FromSeconds(10);

    private readonly Recorder _recorder;
    private readonly WorkerObserver _workers;
    private readonly Func<StarvationReading> _readStarvation;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly FindingTracker _tracker = new();
    private Dictionary<string, long> _blocked = [];

    // The same: the events of the last ten minutes, at most as many as are kept, how many there were before the next one, and the reports.
    private readonly List<WorkerEvent> _events = [];
    private long _eventCount;
    private IReadOnlyList<CrashReportSummary> _reports = [];
    private long _reportCount;

    // The same: the memory of workers, by pool, and the parts.
    private IReadOnlyDictionary<string, IReadOnlyList<WorkerMemory>> _memory = new Dictionary<string, IReadOnlyList<WorkerMemory>>();
    private readonly List<IObservedPart> _parts = [];

    // Of the recorder's thread: when memory was read, and how many calls of pools with workers had ended by then.
    private long? _memoryReadAt;
    private long _callsRead;

    /// <param name="recorder">What is recorded; its ticks look for findings.</param>
    /// <param name="workers">What is kept of workers.</param>
    /// <param name="readStarvation">Reads the state of the thread pool.</param>
    /// <param name="time">The clock.</param>
    public FindingWatch(Recorder recorder, WorkerObserver workers, Func<StarvationReading> readStarvation, TimeProvider time)
    {
        _recorder = recorder;
        _workers = workers;
        _readStarvation = readStarvation;
        _time = time;
        recorder.Ticked = Tick;
    }

    /// <summary>Asks a part of the application, too, from now on.</summary>
    public void Add(IObservedPart part)
    {
        lock (_gate)
        {
            _parts.Add(part);
        }
    }

    /// <summary>What is seen of the parts now.</summary>
    public IReadOnlyList<IPartReading> ReadParts(RowOrder order)
    {
        lock (_gate)
        {
            return [.. _parts.Select(part => part.Read(order))];
        }
    }

    /// <summary>The findings in effect, the worst first, and when the last one was raised or cleared.</summary>
    public (IReadOnlyList<Finding> Findings, DateTimeOffset? ChangedAt) Read()
    {
        lock (_gate)
        {
            Look_NeedsLock();
            return (_tracker.Current, _tracker.ChangedAt);
        }
    }

    // While something is found, the recorder stays awake: it must see that it ends. And until the memory was read that the last calls have left behind.
    private bool Tick()
    {
        var calls = _recorder.Read(static (pools, _, _, _) => pools.Sum(static pool => pool.Last.Workers > 0 && pool.Name != IObservedPool.LaneName ? pool.Last.Succeeded + pool.Last.Failed : 0));
        var memory = ReadMemory(calls);
        lock (_gate)
        {
            _memory = memory ?? _memory;
            Look_NeedsLock();
            return _tracker.Current.Count > 0 || calls != _callsRead;
        }
    }

    private void Look_NeedsLock()
    {
        var now = _time.GetUtcNow();
        _tracker.Update([.. FindingRules.Apply(ReadState_NeedsLock(now)), .. _parts.SelectMany(static part => part.Find())], now);
    }

    // Neither lock is held while files are read. Null where what was read last is new enough.
    private Dictionary<string, IReadOnlyList<WorkerMemory>>? ReadMemory(long calls)
    {
        if (_memoryReadAt is { } at && _time.GetElapsedTime(at) < MemoryInterval)
        {
            return null;
        }

        (_memoryReadAt, _callsRead) = (_time.GetTimestamp(), calls);
        return _recorder.Read(static (pools, _, _, _) => pools.ToArray()).ToDictionary(static pool => pool.Name, static pool => pool.ReadMemory());
    }

    private ObservedState ReadState_NeedsLock(DateTimeOffset now)
    {
        var starvation = _readStarvation();
        var blocked = starvation.BlockedCalls.ToDictionary(static one => one.Operation, static one => one.Calls);
        var recently = blocked.Where(one => one.Value > _blocked.GetValueOrDefault(one.Key)).Select(one => (one.Key, one.Value - _blocked.GetValueOrDefault(one.Key))).ToArray();
        _blocked = blocked;

        ReadWorkers_NeedsLock(now);
        var (pools, operations) = _recorder.Read((pools, operations, latency, second) =>
        {
            var states = pools.Select(pool => new PoolState(pool.Name, pool.Last) { Rejected = pool.RejectedLately(second), Memory = _memory.GetValueOrDefault(pool.Name) ?? [], Median = pool.Last.Oldest is null ? null : MedianOf(pool.Name, operations, latency, second) }).ToArray();
            var read = operations.Select(one =>
            {
                var failed = one.ReadLast(second, MinuteOfTens, latency);
                return new OperationState(one.Record.Operation, one.CallsLast(second, MinuteOfTens), failed, failed == 0 ? null : ErrorOf(one.Record));
            }).ToArray();
            return (states, read);
        });
        return new ObservedState
        {
            Now = now,
            Pools = pools,
            Operations = operations,
            Calls = _recorder.ReadCalls(MostCalls, out _),
            Events = _events,
            Reports = _reports,
            StarvedSince = starvation.Since,
            Blocking = starvation.Blocking,
            BlockedCalls = recently,
        };
    }

    // Only what is new: a tick should cost little where nothing happens.
    private void ReadWorkers_NeedsLock(DateTimeOffset now)
    {
        if (_workers.Timeline.Count != _eventCount)
        {
            var happened = _workers.Timeline.Read(_eventCount, out var dropped);
            _eventCount += dropped + happened.Length;
            _events.AddRange(happened);
        }

        var from = (now - EventTime).UtcTicks;
        var old = 0;
        while (old < _events.Count && (_events[old].Ticks <= from || _events.Count - old > WorkerTimeline.DefaultCapacity))
        {
            old++;
        }

        _events.RemoveRange(0, old);
        if (_workers.Reports.Count != _reportCount)
        {
            _reportCount = _workers.Reports.Count;
            _reports = _workers.Reports.Summaries;
        }
    }

    private static double? MedianOf(string pool, IEnumerable<OperationSeries> operations, LatencyDistribution latency, long second)
    {
        latency.Clear();
        foreach (var one in operations)
        {
            if (IObservedPool.Owns(pool, one.Record.Operation))
            {
                one.AddLast(second, MinuteOfTens, latency);
            }
        }

        return latency.Percentile(0.5);
    }

    private static string? ErrorOf(OperationRecord record) => record.Kept.Failed().Select(static call => call.Error).OfType<string>().GroupBy(static name => name).MaxBy(static group => group.Count())?.Key;
}
