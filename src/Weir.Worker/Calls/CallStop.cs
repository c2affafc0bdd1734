namespace Weir.Worker.Calls;

/// <summary>
/// The token of one call and why it fired: the host's CANCEL or the deadline. Callbacks on the token are the user's code
/// and run on the thread pool, never on the control thread.
/// </summary>
internal sealed class CallStop : IDisposable
{
    // A longer one is none: timers end at 49 days.
    private const long LongestDeadline = uint.MaxValue - 1L;

    private readonly CancellationTokenSource _source = new();
    private readonly TimeProvider _time;
    private readonly long _readAt;
    private readonly long _limit;
    private readonly ITimer? _timer;
    private readonly Action<Exception> _callbackFailed;
    private volatile bool _cancelled;
    private volatile bool _expired;

    /// <param name="time">The worker's clock.</param>
    /// <param name="remainingMilliseconds">From now on; -1 for no deadline.</param>
    /// <param name="callbackFailed">Told what a callback of the user threw.</param>
    public CallStop(TimeProvider time, long remainingMilliseconds, Action<Exception> callbackFailed)
    {
        _time = time;
        _limit = remainingMilliseconds;
        _callbackFailed = callbackFailed;
        if (remainingMilliseconds is >= 0 and <= LongestDeadline)
        {
            _readAt = time.GetTimestamp();
            Deadline = time.GetUtcNow().AddMilliseconds(remainingMilliseconds);
            _timer = time.CreateTimer(static self => ((CallStop)self!).Expire(), this, TimeSpan.FromMilliseconds(remainingMilliseconds), Timeout.InfiniteTimeSpan);
        }
    }

    public CancellationToken Token => _source.Token;

    /// <summary>When the call must have ended; <c>null</c> for no limit.</summary>
    public DateTimeOffset? Deadline { get; }

    public bool IsCancelled => _cancelled;

    /// <summary>Whether the deadline has passed; also asked of the clock, since a timer may be late.</summary>
    public bool IsPastDeadline => _expired || Deadline is not null && _time.GetElapsedTime(_readAt).TotalMilliseconds >= _limit;

    /// <summary>The host's CANCEL. Never waits.</summary>
    public void Cancel()
    {
        _cancelled = true;
        Fire();
    }

    /// <summary>The token itself is left to the collector: user code may still hold it, and CANCEL may still come.</summary>
    public void Dispose() => _timer?.Dispose();

    private void Expire()
    {
        _expired = true;
        Fire();
    }

    private void Fire()
    {
        var callbacks = _source.CancelAsync();
        if (!callbacks.IsCompletedSuccessfully)
        {
            callbacks.ContinueWith(
                static (task, self) => ((CallStop)self!)._callbackFailed(task.Exception!.GetBaseException()),
                this,
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted,
                TaskScheduler.Default);
        }
    }
}
