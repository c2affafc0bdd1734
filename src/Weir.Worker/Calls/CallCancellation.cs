using System.Diagnostics.CodeAnalysis;

namespace Weir.Worker.Calls;

/// <summary>
/// The cancellation token of one call at a time, and why it fired: CANCEL of the host, or the deadline. Callbacks on the token are
/// user code and run on the thread pool, never on the control thread. A token is created on first use, and for one call
/// only: user code may keep it.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "A token is the collector's: user code may still hold it. The timer is used until the process ends.")]
internal sealed class CallCancellation(TimeProvider time, Action<Exception> callbackFailed)
{
    // A longer deadline counts as none: timers are limited to 49 days.
    private const long LongestDeadline = uint.MaxValue - 1L;

    private readonly object _lock = new();
    private CancellationTokenSource? _source;   // Under the lock.
    private ITimer? _timer;                     // Created with the first deadline, then reused.
    private long _readAt;
    private long _limit = -1;
    private bool _hasDeadline;
    private volatile bool _cancelled;
    private volatile bool _expired;

    public CancellationToken Token
    {
        get
        {
            lock (_lock)
            {
                if (_source is null)
                {
                    _source = new CancellationTokenSource();
                    if (_cancelled || _expired)
                    {
                        Fire_NeedsLock();
                    }
                }

                return _source.Token;
            }
        }
    }

    /// <summary>When the call must be complete; <c>null</c> for no limit.</summary>
    public DateTimeOffset? Deadline { get; private set; }

    /// <summary>How long the call may still take; <c>null</c> without a deadline.</summary>
    public TimeSpan? Remaining => _hasDeadline ? TimeSpan.FromMilliseconds(_limit) - time.GetElapsedTime(_readAt) : null;

    public bool IsCancelled => _cancelled;

    /// <summary>Whether the deadline has passed; the clock is checked too, because a timer may be late.</summary>
    public bool IsPastDeadline => _expired || _hasDeadline && time.GetElapsedTime(_readAt).TotalMilliseconds >= _limit;

    /// <summary>Begins a call.</summary>
    /// <param name="remainingMilliseconds">Counted from now; -1 for no deadline.</param>
    public void Begin(long remainingMilliseconds)
    {
        if (remainingMilliseconds is < 0 or > LongestDeadline)
        {
            return;
        }

        lock (_lock)
        {
            _limit = remainingMilliseconds;
            _readAt = time.GetTimestamp();
            _hasDeadline = true;
            Deadline = time.GetUtcNow().AddMilliseconds(remainingMilliseconds);
        }

        _timer ??= time.CreateTimer(static self => ((CallCancellation)self!).Expire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(TimeSpan.FromMilliseconds(remainingMilliseconds), Timeout.InfiniteTimeSpan);
    }

    /// <summary>Handles CANCEL of the host. Never waits.</summary>
    public void Cancel()
    {
        lock (_lock)
        {
            _cancelled = true;
            Fire_NeedsLock();
        }
    }

    /// <summary>Ends the call. Its token is left to the garbage collector.</summary>
    public void End()
    {
        if (_hasDeadline)
        {
            _timer!.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        // No thread cancels this call any more, so this check needs no lock.
        if (!_hasDeadline && !_cancelled && _source is null)
        {
            return;
        }

        lock (_lock)
        {
            _source = null;
            _cancelled = _expired = _hasDeadline = false;
            Deadline = null;
        }
    }

    // The timer may fire late, and then for an earlier call. It may fire early: timers count in the system's ticks, which are coarse.
    private void Expire()
    {
        lock (_lock)
        {
            if (IsPastDeadline)
            {
                _expired = true;
                Fire_NeedsLock();
            }
            else if (_hasDeadline)
            {
                var left = Math.Ceiling(_limit - time.GetElapsedTime(_readAt).TotalMilliseconds) + 1;
                _timer!.Change(TimeSpan.FromMilliseconds(Math.Clamp(left, 1, LongestDeadline)), Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void Fire_NeedsLock()
    {
        var callbacks = _source?.CancelAsync() ?? Task.CompletedTask;
        if (!callbacks.IsCompletedSuccessfully)
        {
            callbacks.ContinueWith(
                static (task, self) => ((Action<Exception>)self!)(task.Exception!.GetBaseException()),
                callbackFailed,
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted,
                TaskScheduler.Default);
        }
    }
}
