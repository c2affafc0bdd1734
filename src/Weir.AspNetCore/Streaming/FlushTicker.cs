namespace Weir.AspNetCore.Streaming;

/// <summary>
/// One timer for all streams of an entry point: it sends what has waited long enough while its producer is busy or blocked. It
/// runs only while something waits; idle streams cost nothing.
/// </summary>
/// <remarks>The list is as long as there are streams with waiting items, which the server's connection limits bound.</remarks>
internal sealed class FlushTicker : IDisposable
{
    private static readonly TimeSpan ShortestPeriod = TimeSpan.FromMilliseconds(1);

    private readonly StreamSettings _settings;
    private readonly TimeSpan _period;
    private readonly ITimer _timer;
    private readonly Lock _lock = new();

    // Guarded by the lock.
    private readonly List<ResponseStream> _watched = [];
    private bool _isRunning;

    // Used only by the one tick that runs.
    private ResponseStream[] _due = [];
    private int _isTicking;

    internal FlushTicker(StreamSettings settings)
    {
        _settings = settings;
        var fifth = settings.ToTimeSpan(settings.FlushDelay / 5);
        _period = fifth > ShortestPeriod ? fifth : ShortestPeriod;
        _timer = settings.Time.CreateTimer(static state => ((FlushTicker)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether the timer runs.</summary>
    internal bool IsRunning
    {
        get
        {
            lock (_lock)
            {
                return _isRunning;
            }
        }
    }

    /// <summary>Adds a stream whose items have begun to wait; it stays in the list until they have been sent.</summary>
    internal void Watch(ResponseStream stream)
    {
        lock (_lock)
        {
            if (stream.IsWatched)
            {
                return;
            }

            stream.IsWatched = true;
            _watched.Add(stream);
            if (!_isRunning)
            {
                _isRunning = true;
                _timer.Change(_period, _period);
            }
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Tick()
    {
        // If a tick takes longer than the period, no second one runs beside it.
        if (Interlocked.Exchange(ref _isTicking, 1) == 1)
        {
            return;
        }

        var count = 0;
        try
        {
            count = Collect();
            for (var i = 0; i < count; i++)
            {
                Tick(_due[i]);
            }
        }
        catch (Exception)
        {
            // For example no memory for the list: the next tick tries again.
        }

        Array.Clear(_due, 0, count);
        Volatile.Write(ref _isTicking, 0);
    }

    // A failure ends only its own stream: a timer must not throw, and the other streams continue.
    private void Tick(ResponseStream stream)
    {
        try
        {
            stream.OnTick(_settings.Now());
        }
        catch (Exception)
        {
            stream.Stall();
        }
    }

    // Sending happens outside the lock; a stream in which nothing waits any more is removed here.
    private int Collect()
    {
        lock (_lock)
        {
            for (var i = _watched.Count - 1; i >= 0; i--)
            {
                if (!_watched[i].IsWaiting)
                {
                    _watched[i].IsWatched = false;
                    _watched[i] = _watched[^1];
                    _watched.RemoveAt(_watched.Count - 1);
                }
            }

            if (_watched.Count == 0 && _isRunning)
            {
                _isRunning = false;
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }

            if (_due.Length < _watched.Count)
            {
                _due = new ResponseStream[Math.Max(16, _watched.Count * 2)];
            }

            _watched.CopyTo(_due);
            return _watched.Count;
        }
    }
}
