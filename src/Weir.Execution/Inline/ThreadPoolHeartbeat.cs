using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Threading;

namespace Weir.Execution.Inline;

/// <summary>
/// Notices that the thread pool is starved: twice a second, while work waits for a thread, it queues work that does nothing, from a thread of
/// its own, and measures how long that waits. Nothing is queued before the last one has run, and nothing to a thread pool without work: that
/// would only wake a thread.
/// </summary>
internal sealed class ThreadPoolHeartbeat : IWorkItem, IDisposable
{
    // Work is queued at most this often, and its wait is looked at.
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromMilliseconds(500);

    private readonly TimeSpan _period;
    private readonly StarvationReports _reports;
    private readonly ILogger _logger;
    private readonly WeirMeter _meter;
    private readonly TimeProvider _time;
    private readonly Func<IWorkItem, bool> _queue;
    private readonly Func<BlockedThreads> _findBlocked;
    private readonly Func<TimeSpan> _readProcessors;
    private readonly Lock _gate = new();
    private readonly long _created;

    // Protected by _gate.
    private ITimer? _timer;
    private bool _isDisposed;

    // Of the timer's callback.
    private TimeSpan _due;

    // The processor time of this process, and the moment at which it was read: the wait begins a little earlier, and a machine may stop between the two.
    private (TimeSpan Used, TimeSpan At) _processors;

    // Written by that callback, read by the work.
    private TimeSpan _queuedAt;
    private volatile bool _hasRun = true;

    // Of the timer's callback; read by those who look.
    private volatile StarvationReading? _starvation;

    /// <param name="threshold">How long work may wait before that is reported.</param>
    /// <param name="logger">Receives the reports, on the thread of the heartbeat.</param>
    /// <param name="meter">Records the waiting times.</param>
    /// <param name="time">The clock.</param>
    /// <param name="queue">Queues work to the thread pool where other work waits for it, and returns whether it did; <c>null</c> for the runtime's.</param>
    /// <param name="findBlocked">Finds the operations that block threads; <c>null</c> looks at the threads of this process.</param>
    /// <param name="readProcessors">Reads the processor time of the process; <c>null</c> asks the operating system.</param>
    public ThreadPoolHeartbeat(
        TimeSpan threshold, ILogger logger, WeirMeter meter, TimeProvider time, Func<IWorkItem, bool>? queue = null, Func<BlockedThreads>? findBlocked = null,
        Func<TimeSpan>? readProcessors = null)
    {
        _period = threshold < LongestPeriod ? threshold : LongestPeriod;
        _reports = new StarvationReports(threshold);
        _logger = logger;
        _meter = meter;
        _time = time;
        _queue = queue ?? QueueBehindOthers;
        _findBlocked = findBlocked ?? InlineThread.FindBlocked;
        _readProcessors = readProcessors ?? (static () => Environment.CpuUsage.TotalTime);
        _created = time.GetTimestamp();
    }

    /// <summary>The starvation that was reported and has not ended; <c>null</c> while there is none.</summary>
    public StarvationReading? Starvation => _starvation;

    private TimeSpan Now => _time.GetElapsedTime(_created);

    /// <summary>Begins. Once; without effect after <see cref="Dispose"/>.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (!_isDisposed)
            {
                // Listeners and loggers are foreign code, so this is not the thread of the pools' timers.
                _timer = HostThread.HeartbeatFor(_time, Beat, static _ => { });
                SetTimer_NeedsLock();
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    void IWorkItem.Run()
    {
        var waited = Now - _queuedAt;
        _hasRun = true;
        _meter.ThreadPoolTime.Record(waited.TotalSeconds);
    }

    // A listener of the meter that throws loses its own measurement.
    void IWorkItem.OnFailed(Exception failure)
    {
    }

    private void Beat()
    {
        try
        {
            Observe(Now);
        }
        finally
        {
            lock (_gate)
            {
                if (!_isDisposed)
                {
                    SetTimer_NeedsLock();
                }
            }
        }
    }

    private void SetTimer_NeedsLock()
    {
        _due = Now + _period;
        _timer!.Change(_period, Timeout.InfiniteTimeSpan);
    }

    private void Observe(TimeSpan now)
    {
        if (_hasRun)
        {
            var lasted = _reports.Ran(now);
            Queue(now);
            if (lasted is { } time)
            {
                _starvation = null;
                InlineLog.StarvationEnded(_logger, time.TotalSeconds);
            }
        }
        else if (now - _due > HostThread.MostLate)
        {
            // This thread did not run either: the process or its machine was stopped. What the work waits from now on counts.
            Count(now);
        }
        else if (_reports.Waits(now - _queuedAt, now))
        {
            Report(now - _queuedAt);
        }
    }

    private void Queue(TimeSpan now)
    {
        Count(now);
        _hasRun = false;
        if (!_queue(this))
        {
            _hasRun = true;
        }
    }

    private static bool QueueBehindOthers(IWorkItem work)
    {
        if (ThreadPool.PendingWorkItemCount == 0)
        {
            return false;
        }

        Callbacks.Queue(work);
        return true;
    }

    // The wait begins.
    private void Count(TimeSpan now)
    {
        _queuedAt = now;
        _processors = (_readProcessors(), Now);
    }

    private void Report(TimeSpan waited)
    {
        // What ran during the wait, before the search for blocked threads adds to it. A machine that was stopped for memory may have counted
        // more processor time than passed here.
        var (used, time) = (_readProcessors() - _processors.Used, Now - _processors.At);
        var busy = time > TimeSpan.Zero ? Math.Clamp(used / (time * Environment.ProcessorCount), 0, 1) : 0;
        var blocked = _findBlocked();
        _starvation ??= new StarvationReading(_time.GetUtcNow() - waited, [], []);
        _starvation = _starvation with { Blocking = [.. blocked.Operations.Select(static one => (one.Operation.FullName, one.Threads))] };
        InlineLog.Starved(_logger, waited, blocked, busy);
    }
}
