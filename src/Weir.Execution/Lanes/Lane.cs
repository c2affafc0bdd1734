using Weir.Execution.Threading;

namespace Weir.Execution.Lanes;

/// <summary>
/// An elastic set of threads for work that blocks: parked last in, first out, so that recently used threads work and the others
/// expire; a monitor adds threads while work waits; bounded, with a bounded queue. The thread pool is not used.
/// </summary>
internal sealed class Lane : IAsyncDisposable
{
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
    private int _threads;        // Guarded by _gate: alive, parked or busy.
    private int _busy;           // Guarded by _gate.
    private bool _closed;        // Guarded by _gate.

    internal Lane(LaneOptions options, TimeProvider time)
    {
        options.Validate();
        _maxThreads = Math.Min(options.MaxThreads, ThreadLimit.Read() ?? int.MaxValue);
        _minThreads = Math.Min(options.MinThreads, _maxThreads);
        _queueLimit = options.QueueLimit;
        _keepAlive = options.KeepAlive;
        _time = time;
        _monitor = new LaneMonitor(this);
    }

    /// <summary>The state of the lane now.</summary>
    internal LaneSnapshot Snapshot()
    {
        lock (_gate)
        {
            return new LaneSnapshot(_minThreads, _maxThreads, _queueLimit, _threads, _busy, _queue.Count);
        }
    }

    /// <summary>Starts the minimum of threads.</summary>
    internal void StartThreads()
    {
        lock (_gate)
        {
            StartThreads_NeedsLock(_minThreads - _threads);
        }
    }

    /// <summary>
    /// Passes work to a parked thread, or queues it. <c>false</c>: the queue is full, or the caller has cancelled. Work of a caller that waits
    /// is queued beyond the limit: each is one pending await of its caller, and nothing of its call is copied.
    /// </summary>
    /// <exception cref="CallRejectedException">The lane drains (WEIR2009).</exception>
    internal bool TryEnqueue(LaneWork work, bool waitsForCapacity)
    {
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

            if (_parked is { } thread)
            {
                _parked = thread.Below;
                _busy++;
                thread.Give_NeedsLock(work);
                return true;
            }

            // With a limit of zero no work may wait, so a thread is started for this work.
            var startsThread = _threads == 0 || (_queueLimit == 0 && _threads < _maxThreads);
            if (!waitsForCapacity && !startsThread && _queue.Count >= _queueLimit)
            {
                return false;
            }

            work.QueuedAt = _time.GetTimestamp();
            _queue.Enqueue(work);
            StartThreads_NeedsLock(startsThread ? 1 : 0);
        }

        _monitor.Wake();
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
    }

    private void Close()
    {
        lock (_gate)
        {
            _closed = true;
            for (var thread = _parked; thread is not null; thread = thread.Below)
            {
                thread.Give_NeedsLock(null);
            }

            _parked = null;
            if (_threads == 0)
            {
                _ended.TrySetResult();
            }
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
        lock (_gate)
        {
            _busy -= wasBusy ? 1 : 0;
            if (_queue.Dequeue() is { } work)
            {
                _busy++;
                return work;
            }

            if (_closed)
            {
                End_NeedsLock();
                return null;
            }

            thread.Below = _parked;
            _parked = thread;
            return Park_NeedsLock(thread);
        }
    }

    /// <summary>Starts threads if work waits too long; returns whether work still waits. Monitor thread only.</summary>
    internal bool Grow()
    {
        lock (_gate)
        {
            if (_queue.Head is not { } head)
            {
                return false;
            }

            StartThreads_NeedsLock(LaneScaling.Decide(_queue.Count, _time.GetElapsedTime(head.QueuedAt), _threads, _maxThreads));
            return true;
        }
    }

    private LaneWork? Park_NeedsLock(LaneThread thread)
    {
        while (true)
        {
            var expires = _threads > _minThreads;
            thread.Wait_NeedsLock(_gate, expires ? _keepAlive : Timeout.InfiniteTimeSpan);

            // Checked under the lock: work may have been passed to the thread between the timeout and here.
            if (thread.IsGiven)
            {
                var work = thread.TakeGiven_NeedsLock();
                if (work is null)
                {
                    End_NeedsLock();
                }

                return work;
            }

            if (expires && _threads > _minThreads)
            {
                Unpark_NeedsLock(thread);
                End_NeedsLock();
                return null;
            }
        }
    }

    private void Unpark_NeedsLock(LaneThread thread)
    {
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

    private void StartThreads_NeedsLock(int count)
    {
        for (var started = 0; started < count && _threads < _maxThreads && !_closed; started++)
        {
            _threads++;
            try
            {
                new LaneThread(this).Start();
            }
            catch (OutOfMemoryException)
            {
                // The kernel gives no more threads (EAGAIN). Existing threads continue; the monitor tries again while work waits.
                _threads--;
                return;
            }
        }
    }
}
