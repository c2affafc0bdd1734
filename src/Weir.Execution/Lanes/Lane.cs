using Microsoft.Extensions.Logging;
using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir.Execution.Lanes;

/// <summary>
/// An elastic set of threads for work that blocks: parked last in, first out, so that recently used threads work and the others
/// expire; a monitor adds threads while work waits; bounded, with a bounded queue. The thread pool is not used.
/// </summary>
/// <remarks>
/// All work goes through the queue. At most as many parked threads are being woken at a time as there are processors; a thread that takes work
/// wakes the next one while work is left, and threads that finish a call take from the same queue. So a burst of calls wakes only as many
/// threads as it needs.
/// </remarks>
internal sealed class Lane : IAsyncDisposable
{
    // With one, a burst of 1,000 calls waits for a chain of wake-ups on one processor: 1.2 times longer on two processors (decision 5).
    private static readonly int MostWaking = Environment.ProcessorCount;

    // A call that waits longer than this needs another thread; existing threads absorb shorter waits.
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly LaneQueue _queue = new();
    private readonly int _minThreads;
    private readonly int _maxThreads;
    private readonly int _queueLimit;
    private readonly TimeSpan _keepAlive;
    private readonly TimeProvider _time;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly LaneMonitor _monitor;

    private LaneThread? _parked; // Guarded by _gate: the top of the stack of parked threads.
    private int _waking;         // Guarded by _gate: threads that are signalled, and have not taken the lock yet.
    private int _threads;        // Guarded by _gate: alive, parked or busy.
    private int _busy;           // Guarded by _gate.
    private PoolPeaks? _peaks;   // Guarded by _gate: null unless the lane is recorded.
    private long _taken;         // Guarded by _gate: calls that threads have taken.
    private long _rejected;      // Interlocked.
    private bool _closed;        // Guarded by _gate.

    /// <param name="options">Its size.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Receives what it did not serve; <c>null</c> where no one asks.</param>
    internal Lane(LaneOptions options, TimeProvider time, ILogger? logger = null)
    {
        options.Validate();
        _maxThreads = Math.Min(options.MaxThreads, ThreadLimit.Read() ?? int.MaxValue);
        _minThreads = Math.Min(options.MinThreads, _maxThreads);
        _queueLimit = options.QueueLimit;
        _keepAlive = options.KeepAlive;
        _time = time;
        _monitor = new LaneMonitor(this);
        Unserved = logger is null ? null : new UnservedCalls(time, () => _queueLimit, (calls, seconds, reasons) => UnservedLog.OfLane(logger, calls, seconds, reasons));
    }

    /// <summary>The calls that were rejected or whose deadline passed, for the log. Any thread.</summary>
    internal UnservedCalls? Unserved { get; }

    /// <summary>The state of the lane now.</summary>
    internal LaneSnapshot Snapshot()
    {
        lock (_gate)
        {
            return new LaneSnapshot(_minThreads, _maxThreads, _queueLimit, _threads, _busy, _queue.Count);
        }
    }

    /// <summary>The same for the recorder, with the peaks since the last reading. The first reading begins them.</summary>
    internal PoolReading Read()
    {
        lock (_gate)
        {
            var (busy, queued) = (_peaks ??= new PoolPeaks()).Take(_busy, _queue.Count);
            return new PoolReading
            {
                MinWorkers = _minThreads,
                MaxWorkers = _maxThreads,
                QueueLimit = _queueLimit,
                Workers = _threads,
                Busy = _busy,
                MostBusy = busy,
                Queued = _queue.Count,
                MostQueued = queued,
                Oldest = _queue.Head is { } first ? _time.GetElapsedTime(first.QueuedAt) : null,
                Succeeded = _taken,
                Rejected = Volatile.Read(ref _rejected),
                Failed = Volatile.Read(ref _rejected),
                IsDraining = _closed,
            };
        }
    }

    /// <summary>A call was not taken.</summary>
    internal void Rejected() => Interlocked.Increment(ref _rejected);

    /// <summary>Starts the minimum of threads.</summary>
    internal void StartThreads()
    {
        do
        {
            lock (_gate)
            {
                if (_threads >= _minThreads || !TryCountThread_NeedsLock())
                {
                    return;
                }
            }
        }
        while (TryStartThread());
    }

    /// <summary>
    /// Queues work. <c>false</c>: the queue is full, no thread is free for work that asks for one, or the caller has cancelled. Work of a caller that waits is queued beyond the limit: each
    /// is one pending await of its caller, and nothing of its call is copied.
    /// </summary>
    /// <exception cref="CallRejectedException">The lane drains (WEIR2009).</exception>
    internal bool TryEnqueue(LaneWork work, CallAdmission admission)
    {
        LaneThread? woken;
        bool waits;
        bool startsThread;
        lock (_gate)
        {
            if (_closed)
            {
                throw Draining();
            }

            if (work.HasLeft)
            {
                return false;
            }

            if (admission == CallAdmission.Free && _queue.Count + _busy >= _maxThreads)
            {
                return false;
            }

            // With a limit of zero no work may wait, nor may work that asks for a free thread, so a thread is started for this work.
            waits = Waiting_NeedsLock >= 0;
            startsThread = waits && (_threads == 0 || ((_queueLimit == 0 || admission == CallAdmission.Free) && _threads < _maxThreads));
            if (waits && admission == CallAdmission.Queue && !startsThread && Waiting_NeedsLock >= _queueLimit)
            {
                return false;
            }

            work.QueuedAt = _time.GetTimestamp();
            _queue.Enqueue(work);
            _peaks?.Note(_busy, _queue.Count);
            startsThread = startsThread && TryCountThread_NeedsLock();
            woken = Unpark_NeedsLock();
        }

        // Outside the lock: the woken thread takes it first.
        woken?.Signal();
        if (startsThread)
        {
            TryStartThread();
        }

        if (waits)
        {
            _monitor.Wake();
        }

        return true;
    }

    /// <summary>The caller cancels: queued work is removed. <c>false</c> when a thread has it, or when it is not queued yet; then it will not be queued.</summary>
    internal bool TryRemove(LaneWork work)
    {
        lock (_gate)
        {
            if (!work.IsQueued)
            {
                work.HasLeft = true;
                return false;
            }

            _queue.Remove(work);
            return true;
        }
    }

    /// <summary>The same as <see cref="DrainAsync"/>, but waits without a limit.</summary>
    public async ValueTask DisposeAsync() => await DrainAsync(CancellationToken.None);

    /// <summary>Accepts no more work, runs what is queued, and ends the threads; completes when the last thread has ended.</summary>
    /// <param name="cancellationToken">
    /// Stops waiting: queued work is rejected then, and work that still runs is abandoned. A thread cannot be ended from
    /// outside; it is a background thread, so it does not keep the process alive.
    /// </param>
    internal async Task DrainAsync(CancellationToken cancellationToken)
    {
        Close();
        using (Callbacks.Register(this, static lane => lane.Abandon(), static (lane, failure) => lane._ended.TrySetException(failure), cancellationToken))
        {
            await _ended.Task;
        }

        _monitor.Dispose();
        Unserved?.Dispose();
    }

    private void Close()
    {
        LaneThread? parked;
        lock (_gate)
        {
            _closed = true;
            parked = _parked;
            _parked = null;
            for (var thread = parked; thread is not null; thread = thread.Below)
            {
                thread.IsParked = false;
            }

            if (_threads == 0)
            {
                _ended.TrySetResult();
            }
        }

        // No thread parks after this, so the links stay.
        for (var thread = parked; thread is not null; thread = thread.Below)
        {
            thread.Signal();
        }
    }

    private void Abandon()
    {
        while (true)
        {
            LaneWork? work;
            lock (_gate)
            {
                work = _queue.Dequeue();
            }

            if (work is null)
            {
                break;
            }

            work.Reject(Draining());
        }

        _ended.TrySetResult();
    }

    private static CallRejectedException Draining() =>
        new(WeirCodes.Draining, $"The host is shutting down and the lane accepts no more calls. See {WeirCodes.Draining}.");

    /// <summary>Returns the next work of a thread; after <c>null</c> the thread ends. Blocks while there is none.</summary>
    internal LaneWork? Take(LaneThread thread, bool wasBusy)
    {
        var hasExpired = false;
        while (true)
        {
            LaneWork? work;
            LaneThread? woken = null;
            bool expires;
            lock (_gate)
            {
                // 1. It runs, whatever woke it.
                _busy -= wasBusy ? 1 : 0;
                wasBusy = false;
                Run_NeedsLock(thread);
                expires = _threads > _minThreads;
                work = _queue.Dequeue();
                if (work is not null)
                {
                    // 2. It has work. The next thread is woken for what is left.
                    _busy++;
                    _taken++;
                    _peaks?.Note(_busy, _queue.Count);
                    woken = Unpark_NeedsLock();
                }
                else if (_closed || (hasExpired && expires))
                {
                    End_NeedsLock();
                    return null;
                }
                else
                {
                    thread.Below = _parked;
                    thread.IsParked = true;
                    _parked = thread;
                }
            }

            if (work is not null)
            {
                woken?.Signal();
                return work;
            }

            hasExpired = !thread.Wait(expires ? _keepAlive : Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>
    /// Starts one thread if work waits too long. One at a time: a new thread runs before the next one is decided on, so that a short peak starts
    /// few, and where calls wait for the processors rather than for threads, the lane grows slowly. For the monitor.
    /// </summary>
    internal LaneGrowth Grow()
    {
        lock (_gate)
        {
            var waiting = Waiting_NeedsLock;
            if (waiting <= 0)
            {
                return LaneGrowth.NothingWaits;
            }

            if (_time.GetElapsedTime(_queue.Head!.QueuedAt) < Patience || !TryCountThread_NeedsLock())
            {
                return LaneGrowth.Later;
            }
        }

        return TryStartThread() ? LaneGrowth.Started : LaneGrowth.Later;
    }

    // Calls for which there is no thread. Each thread that runs no call will take one: it is parked, woken or just started.
    private int Waiting_NeedsLock => _queue.Count - (_threads - _busy);

    // The thread that is to be signalled for the work in the queue, if any.
    private LaneThread? Unpark_NeedsLock()
    {
        if (_waking >= MostWaking || _queue.Count <= _waking || _parked is not { } thread)
        {
            return null;
        }

        _parked = thread.Below;
        thread.IsParked = false;
        thread.IsWaking = true;
        _waking++;
        return thread;
    }

    private void Run_NeedsLock(LaneThread thread)
    {
        if (thread.IsWaking)
        {
            thread.IsWaking = false;
            _waking--;
        }

        if (!thread.IsParked)
        {
            return;
        }

        // Its wait timed out, or a signal came after a timeout: it may be anywhere on the stack.
        thread.IsParked = false;
        if (_parked == thread)
        {
            _parked = thread.Below;
            return;
        }

        var above = _parked!;
        while (above.Below != thread)
        {
            above = above.Below!;
        }

        above.Below = thread.Below;
    }

    private void End_NeedsLock()
    {
        if (--_threads == 0 && _closed)
        {
            _ended.TrySetResult();
        }
    }

    private bool TryCountThread_NeedsLock()
    {
        if (_closed || _threads >= _maxThreads)
        {
            return false;
        }

        _threads++;
        return true;
    }

    // Starts a thread that was counted. Without the lock: the runtime waits until the new thread runs, and every call would wait with it.
    private bool TryStartThread()
    {
        try
        {
            new LaneThread(this).Start();
            return true;
        }
        catch (OutOfMemoryException)
        {
            // The kernel gives no more threads (EAGAIN). Existing threads continue; the monitor tries again while work waits.
            bool isLast;
            lock (_gate)
            {
                isLast = --_threads == 0 && _closed;
            }

            // A lane that drains starts no other thread for what is queued.
            if (isLast)
            {
                Abandon();
            }

            return false;
        }
    }
}
