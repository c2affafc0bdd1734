using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Limits;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Capacity;

/// <summary>
/// How many workers this host can run over all its pools: the maximum that the options set, and what the machine allows. A pool reserves
/// capacity before it starts workers and releases it when they are reaped. The machine is read only when the pools open and while they
/// reserve capacity; a pool that was refused capacity is called when there is capacity again. Any thread.
/// </summary>
/// <remarks>
/// Lock order: a pool's lock, then the lock of this class. Pools reserve under their own lock, so nothing under this one calls a pool,
/// reads the machine or waits: that is done by work on the thread pool, without this lock.
/// </remarks>
internal sealed class HostCapacity
{
    /// <summary>How old the last reading of the machine may be before the next reservation asks for a new one.</summary>
    public static readonly TimeSpan ReadPause = TimeSpan.FromMilliseconds(250);

    // One computes while the other waits for a disk, or for the host.
    private const int StartsPerProcessor = 2;

    private readonly int _maxWorkers;
    private readonly int _processors;
    private readonly Func<HostResources> _read;
    private readonly TimeProvider _time;
    private readonly Action<Action> _queue;
    private readonly Action _readMachine;
    private readonly Action _serveRefused;
    private readonly Lock _gate = new();

    // All of the following under _gate. One per pool.
    private readonly List<PoolCapacity> _pools = [];

    // Workers that capacity is reserved for, and how many more the last reading allows.
    private int _reserved;
    private int _left;

    // What else the last reading found.
    private string _limit = "the machine has not been measured yet";
    private bool _isShortOfProcessors;
    private long? _sharedProcessLimit;
    private bool _hasAdvised;

    private bool _isMeasured;
    private long _readAt;
    private bool _isReadQueued;
    private bool _isServeQueued;

    /// <param name="maxWorkers">The most workers over all pools; <c>null</c> for any number.</param>
    /// <param name="read">Reads what the machine has left.</param>
    /// <param name="processors">How many there are.</param>
    /// <param name="time">The clock.</param>
    /// <param name="queue">Runs work later, on the thread pool. Called under locks: it must not run the work itself.</param>
    public HostCapacity(int? maxWorkers, Func<HostResources> read, int processors, TimeProvider time, Action<Action> queue)
    {
        _maxWorkers = maxWorkers ?? int.MaxValue;
        _read = read;
        _processors = processors;
        _time = time;
        _queue = queue;
        _readMachine = () => Callbacks.Run(this, static host => host.ReadMachine(), static (host, failure) => host.Report(failure));
        _serveRefused = () => Callbacks.Run(this, static host => host.ServeRefused(), static (host, failure) => host.Report(failure));
        Starts = new StartThrottle(StartsPerProcessor * processors, time);
    }

    /// <summary>For pools without an application around them.</summary>
    public static HostCapacity Shared => LazyShared.Value;

    /// <summary>Limits how many workers start at the same time.</summary>
    public StartThrottle Starts { get; }

    /// <summary>Workers that capacity is reserved for, over all pools.</summary>
    public int Reserved
    {
        get
        {
            lock (_gate)
            {
                return _reserved;
            }
        }
    }

    private static Lazy<HostCapacity> LazyShared { get; } = new(() => ForThisMachine(null, TimeProvider.System));

    public static HostCapacity ForThisMachine(int? maxWorkers, TimeProvider time) =>
        new(
            maxWorkers,
            OperatingSystem.IsLinux() ? new MachineResources().Read : static () => default,
            Environment.ProcessorCount,
            time,
            static work => Callbacks.Queue(work, static work => work(), static (_, _) => { }));

    /// <summary>
    /// Reads the machine, unless that has been done. Before it each pool gets one worker, and the others when the machine has been read: it
    /// is not read while the application starts, which would wait for it. Not under a lock.
    /// </summary>
    public void Measure()
    {
        lock (_gate)
        {
            if (_isMeasured)
            {
                return;
            }
        }

        _readMachine();
    }

    /// <summary>The limit of processes and threads that the host shares with its workers; returned once, so that only one pool logs it.</summary>
    /// <returns><c>null</c> where there is none, and after the first time.</returns>
    public long? TakeSharedProcessLimit()
    {
        lock (_gate)
        {
            if (_hasAdvised || _sharedProcessLimit is not > 0)
            {
                return null;
            }

            _hasAdvised = true;
            return _sharedProcessLimit;
        }
    }

    public void Add(PoolCapacity pool)
    {
        lock (_gate)
        {
            _pools.Add(pool);
        }
    }

    public void Remove(PoolCapacity pool)
    {
        lock (_gate)
        {
            _pools.Remove(pool);
        }
    }

    /// <summary>Reserves capacity. What is refused is remembered: the pool is called when it can be reserved.</summary>
    /// <param name="pool">For its workers.</param>
    /// <param name="wanted">For how many, 1 or more.</param>
    /// <returns>For how many it is reserved; 0 to <paramref name="wanted"/>.</returns>
    public int Reserve(PoolCapacity pool, int wanted)
    {
        lock (_gate)
        {
            if (!_isReadQueued && (!_isMeasured || _time.GetElapsedTime(_readAt) > ReadPause))
            {
                _isReadQueued = true;
                _queue(_readMachine);
            }

            var granted = Math.Clamp(Free_NeedsLock(pool), 0, wanted);
            _reserved += granted;
            _left -= granted;
            pool.Reserved += granted;
            if (granted < wanted)
            {
                pool.Refused = wanted - granted;
                QueueServe_NeedsLock();
            }

            return granted;
        }
    }

    /// <summary>Releases capacity; the pools that were refused capacity are then called.</summary>
    public void Release(PoolCapacity pool, int count)
    {
        if (count == 0)
        {
            return;
        }

        lock (_gate)
        {
            _reserved -= count;
            _left = (int)Math.Min(int.MaxValue, (long)_left + count);
            pool.Reserved -= count;
            QueueServe_NeedsLock();
        }
    }

    private void ReadMachine()
    {
        // 1. Before the reading: what changes from now on asks for another one.
        lock (_gate)
        {
            _readAt = _time.GetTimestamp();
            _isReadQueued = false;
        }

        // 2. Without the lock, because it reads files and takes the pools' locks. Pools without a worker, maybe hundreds, are skipped.
        var figures = _read();
        var memory = new List<long>();
        foreach (var pool in Pools(static pool => pool.Reserved > 0))
        {
            pool.User.AddWorkerMemory(memory);
        }

        var estimate = CapacityEstimate.Of(figures, CapacityEstimate.MemoryPerWorker(memory));

        // 3. What is reserved stays reserved. The figures do not include yet what starting workers will take.
        lock (_gate)
        {
            _limit = estimate.Limit;
            _isShortOfProcessors = figures.IsShortOfProcessors;
            _sharedProcessLimit = figures.SharedProcessLimit;
            _left = estimate.Workers - Math.Clamp(_reserved - memory.Count, 0, estimate.Workers);
            SetMeasured_NeedsLock();
        }
    }

    private void ServeRefused()
    {
        lock (_gate)
        {
            _isServeQueued = false;
        }

        var pools = Pools(static _ => true);
        foreach (var pool in pools)
        {
            var (wanted, limit) = TakeRefusal(pool);
            if (wanted == 0)
            {
                continue;
            }

            if (limit is null)
            {
                pool.User.RetryReserve();
                continue;
            }

            pool.User.ReportShortage(wanted, limit);

            // The pool is called when the first of them has exited.
            for (var i = 0; i < pools.Length && wanted > 0 && pool.User.NeedsWorkers; i++)
            {
                wanted -= pools[i] == pool ? 0 : pools[i].User.RetireIdle(wanted);
            }
        }
    }

    // How many workers a pool was refused, and what still limits it: null when it can reserve again. Until then it stays refused.
    private (int Wanted, string? Limit) TakeRefusal(PoolCapacity pool)
    {
        lock (_gate)
        {
            var wanted = pool.Refused;
            if (wanted > 0 && Free_NeedsLock(pool) <= 0)
            {
                return (wanted, Limit_NeedsLock(pool));
            }

            pool.Refused = 0;
            return (wanted, null);
        }
    }

    // Pools that were refused capacity before are called now.
    private void SetMeasured_NeedsLock()
    {
        if (_isMeasured)
        {
            return;
        }

        _isMeasured = true;
        if (_pools.Exists(static pool => pool.Refused > 0))
        {
            QueueServe_NeedsLock();
        }
    }

    private void QueueServe_NeedsLock()
    {
        if (!_isServeQueued && _isMeasured)
        {
            _isServeQueued = true;
            _queue(_serveRefused);
        }
    }

    // The figures of the last reading stay until another one succeeds. One pool's log is enough.
    private void Report(Exception failure)
    {
        lock (_gate)
        {
            SetMeasured_NeedsLock();
        }

        if (Pools(static _ => true) is [var pool, ..])
        {
            pool.User.ReportFailure(failure);
        }
    }

    // A pool without a worker always gets its first one: if the machine cannot start it, the pool's callers get the reason. One worker
    // per processor always helps; more than that only where processors wait for work.
    private int Free_NeedsLock(PoolCapacity pool)
    {
        var bearable = _isShortOfProcessors ? Math.Min(_left, MostWhileShort(pool) - pool.Reserved) : _left;
        return Math.Min(pool.Reserved == 0 ? Math.Max(bearable, 1) : bearable, _maxWorkers - _reserved);
    }

    // What keeps a pool from reserving more; only where something does.
    private string Limit_NeedsLock(PoolCapacity pool) =>
        _reserved >= _maxWorkers ? $"MaxWorkers of all pools is {_maxWorkers}, and that many workers run"
        : _left <= 0 ? _limit
        : $"processors: for 10 s more threads were ready to run than the {_processors} processors can run, and this pool has {pool.Reserved} workers";

    private int MostWhileShort(PoolCapacity pool) => Math.Max(_processors, pool.Minimum);

    private PoolCapacity[] Pools(Func<PoolCapacity, bool> predicate)
    {
        lock (_gate)
        {
            return [.. _pools.Where(predicate)];
        }
    }
}
