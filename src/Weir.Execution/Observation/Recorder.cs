using System.Collections.Concurrent;
using System.Diagnostics;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir.Execution.Observation;

/// <summary>
/// Records what happens in an application, for people who look at it: counts and latencies by operation, calls that run, and once a second the history of pools, lane and
/// operations. Exists only where recording was asked for. It reads on a thread of its own, and sleeps from a second without activity until the next call. Any thread.
/// </summary>
internal sealed class Recorder : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly WorkerTimeline _timeline;
    private readonly HistoryBudget _budget;
    private readonly ITimer _timer;
    private readonly long _created;
    private readonly ConcurrentDictionary<Operation, OperationRecord> _records = new();
    private readonly ObjectPool<RecordedCall> _free = new(RecordedCall.Most);
    private readonly Lock _cancelling = new();
    private readonly RecordedCall?[] _places = new RecordedCall?[RecordedCall.Most];

    // Under _gate, and read without it where a place that was just made may be missed.
    private int _placeCount;

    private readonly Lock _gate = new();

    // Under _gate. As many as there are pools and operations.
    private readonly List<PoolSeries> _pools = [];
    private readonly Dictionary<OperationRecord, OperationSeries> _operations = [];
    private readonly LatencyDistribution _latency = new();
    private long _events;
    private int _viewers;
    private bool _isDisposed;

    // Calls without a place. Interlocked.
    private int _unlisted;

    // True while no tick is planned. The first call sets it to false, and plans one.
    private volatile bool _isAsleep = true;

    /// <param name="time">The clock.</param>
    /// <param name="historyBytes">The memory of all histories, in bytes.</param>
    /// <param name="workers">What is kept of workers: their events are activity.</param>
    public Recorder(TimeProvider time, long historyBytes, WorkerObserver workers)
    {
        _time = time;
        _timeline = workers.Timeline;
        _budget = new HistoryBudget(historyBytes);
        _created = time.GetTimestamp();
        Began = time.GetUtcNow();
        _timer = HostThread.RecorderFor(time, Tick, _ => Plan());
        workers.Happened = WakeIfAsleep;
    }

    /// <summary>Called after each tick, on the recorder's thread; <c>null</c> for nothing. Set before the first.</summary>
    /// <returns>Whether the recorder must stay awake.</returns>
    public Func<bool>? Ticked { get; set; }

    /// <summary>When recording began: second 0 of the histories.</summary>
    public DateTimeOffset Began { get; }

    /// <summary>The seconds since then.</summary>
    public long Second => (long)_time.GetElapsedTime(_created).TotalSeconds;

    /// <summary>Whether no tick is planned.</summary>
    public bool IsAsleep => _isAsleep;

    /// <summary>Calls that run and are not listed, because there are more than <see cref="RecordedCall.Most"/>.</summary>
    public int Unlisted => Volatile.Read(ref _unlisted);

    /// <summary>What all histories use, in bytes.</summary>
    public long HistoryBytes
    {
        get
        {
            lock (_gate)
            {
                return _budget.Used;
            }
        }
    }

    /// <summary>A pool, or the lane, is to be recorded.</summary>
    public void Add(IObservedPool pool)
    {
        lock (_gate)
        {
            _pools.Add(new PoolSeries(pool, _budget));
        }

        WakeIfAsleep();
    }

    // ---- calls: on their own flows ----

    /// <summary>A request arrives.</summary>
    /// <param name="operation">Its operation.</param>
    /// <param name="place">The place of an earlier request, which is free; <c>null</c> for none.</param>
    /// <returns>Its place; <c>null</c> where there is none left.</returns>
    public RecordedCall? Arrive(Operation operation, RecordedCall? place)
    {
        place ??= _free.TryRent() ?? TryAddPlace();
        if (place is not null)
        {
            var record = place.Last is { } last && last.Operation == operation ? last : RecordOf(operation);
            place.Begin(record, Activity.Current?.TraceId ?? default, _time.GetTimestamp());
        }

        WakeIfAsleep();
        return place;
    }

    /// <summary>A call begins.</summary>
    /// <param name="operation">Its operation.</param>
    /// <param name="isFromCode">Whether it comes from code of the application, which makes calls on its own flow by the million: of those one of 64 is timed.</param>
    /// <param name="cancellationToken">The caller's.</param>
    /// <param name="canCancel">Whether the call gets a token of its own, by which it can be cancelled.</param>
    public Recording Begin(Operation operation, bool isFromCode, CancellationToken cancellationToken, bool canCancel = false)
    {
        var record = RecordOf(operation);
        if (isFromCode && operation.Placement == Placement.Inline && !record.TakesTimeOf())
        {
            WakeIfAsleep();
            return new Recording(this, record, null, 0);
        }

        var now = _time.GetTimestamp();
        if ((_free.TryRent() ?? TryAddPlace()) is not { } place)
        {
            Interlocked.Increment(ref _unlisted);
            WakeIfAsleep();
            return new Recording(this, record, null, now == 0 ? 1 : now);
        }

        place.Begin(record, Activity.Current?.TraceId ?? default, now);
        place.TimePhases();
        place.EnterAt(now, canCancel ? place.Own(cancellationToken) : cancellationToken);
        WakeIfAsleep();
        return new Recording(this, record, place, now);
    }

    /// <summary>A place is free.</summary>
    public void Return(RecordedCall place) => _free.Return(place);

    /// <summary>A call without a place has ended.</summary>
    public void EndUnlisted(OperationRecord record, long began, Exception? failure)
    {
        Interlocked.Decrement(ref _unlisted);
        record.Ended(PhaseTimes.Of(_time.GetElapsedTime(began)), 1, failure, default, 0, _time);
    }

    // ---- for those who look ----

    /// <summary>Whether operators may cancel calls: then those from code get a token each, and others are cancelled by their transport. Set while the application starts.</summary>
    public bool CancelsCalls { get; set; }

    /// <summary>Whether callers are named. Set while the application starts.</summary>
    public bool KeepsCallers { get; set; }

    /// <summary>Cancels a call that runs or waits.</summary>
    /// <param name="id">Which one.</param>
    /// <returns><c>false</c> where it has ended, or cannot be cancelled.</returns>
    public bool TryCancel(long id)
    {
        var index = RecordedCall.IndexOf(id);
        lock (_cancelling)
        {
            return id >= 0 && index < Volatile.Read(ref _placeCount) && _places[index]!.TryCancel(id);
        }
    }

    /// <summary>Someone looks: the recorder stays awake.</summary>
    /// <returns>To be disposed when it ends.</returns>
    public IDisposable Watch()
    {
        lock (_gate)
        {
            _viewers++;
        }

        WakeIfAsleep();
        return new Viewer(this);
    }

    /// <summary>The calls that run and wait, the longest first.</summary>
    /// <param name="most">How many at most.</param>
    /// <param name="total">How many there are, those that are not listed too.</param>
    public IReadOnlyList<RunningCallReading> ReadCalls(int most, out int total)
    {
        var calls = new List<RunningCallReading>();
        var count = Volatile.Read(ref _placeCount);
        for (var i = 0; i < count; i++)
        {
            if (_places[i] is { } place && place.TryRead(out var call))
            {
                calls.Add(call);
            }
        }

        total = calls.Count + Unlisted;
        calls.Sort(static (left, right) => right.Times.Total.CompareTo(left.Times.Total));
        return calls.Count <= most ? calls : calls[..most];
    }

    /// <summary>Reads what is recorded, while no tick changes it.</summary>
    /// <param name="read">Gets the pools and the lane, the operations that were called, a distribution to work with, and the present second. It must not call the recorder.</param>
    public T Read<T>(Func<IReadOnlyList<PoolSeries>, IReadOnlyCollection<OperationSeries>, LatencyDistribution, long, T> read)
    {
        lock (_gate)
        {
            return read(_pools, _operations.Values, _latency, Second);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer.Dispose();
        }
    }

    // ---- the recorder's thread ----

    private void Tick()
    {
        bool isActive;
        lock (_gate)
        {
            isActive = Read_NeedsLock();
        }

        isActive |= Ticked?.Invoke() == true;
        if (isActive)
        {
            Plan();
            return;
        }

        // A call that began before it could see this flag is seen by the second look.
        _isAsleep = true;
        Interlocked.MemoryBarrier();
        if (IsAnyCallRunning())
        {
            WakeIfAsleep();
        }
    }

    private bool Read_NeedsLock()
    {
        var second = Second;
        var events = _timeline.Count;
        var isActive = _viewers > 0 || events != _events || IsAnyCallRunning();
        _events = events;
        foreach (var pool in _pools)
        {
            isActive |= pool.Tick(second);
        }

        // Not a lambda for each: a tick allocates nothing.
        foreach (var (_, record) in _records)
        {
            if (!_operations.TryGetValue(record, out var series))
            {
                series = _operations[record] = new OperationSeries(record, _budget);
            }

            isActive |= series.Tick(second);
        }

        return isActive;
    }

    private OperationRecord RecordOf(Operation operation) => _records.GetOrAdd(operation, static operation => new OperationRecord(operation));

    private bool IsAnyCallRunning()
    {
        if (Unlisted > 0)
        {
            return true;
        }

        var count = Volatile.Read(ref _placeCount);
        for (var i = 0; i < count; i++)
        {
            if (_places[i] is { IsInUse: true })
            {
                return true;
            }
        }

        return false;
    }

    private void WakeIfAsleep()
    {
        if (_isAsleep)
        {
            Wake();
        }
    }

    private void Wake()
    {
        lock (_gate)
        {
            if (!_isAsleep || _isDisposed)
            {
                return;
            }

            _isAsleep = false;
            _timer.Change(Interval, Timeout.InfiniteTimeSpan);
        }
    }

    private void Plan()
    {
        lock (_gate)
        {
            if (!_isDisposed)
            {
                _timer.Change(Interval, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private RecordedCall? TryAddPlace()
    {
        if (Volatile.Read(ref _placeCount) == RecordedCall.Most)
        {
            return null;
        }

        lock (_gate)
        {
            if (_placeCount == RecordedCall.Most)
            {
                return null;
            }

            var place = new RecordedCall(_placeCount, _time);
            _places[_placeCount] = place;
            Volatile.Write(ref _placeCount, _placeCount + 1);
            return place;
        }
    }

    private sealed class Viewer(Recorder recorder) : IDisposable
    {
        private int _isDisposed;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
            {
                lock (recorder._gate)
                {
                    recorder._viewers--;
                }
            }
        }
    }
}
