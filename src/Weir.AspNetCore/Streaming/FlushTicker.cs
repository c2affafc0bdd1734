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

    // The streams of the next tick, guarded by the lock. The timer is set while there is one.
    private List<ResponseStream> _watched = [];

    // The list of an earlier tick, empty: it may be large. Null while a tick uses it.
    private List<ResponseStream>? _spare;

    internal FlushTicker(StreamSettings settings)
    {
        _settings = settings;
        var fifth = settings.ToTimeSpan(settings.FlushDelay / 5);
        _period = fifth > ShortestPeriod ? fifth : ShortestPeriod;
        _timer = settings.Time.CreateTimer(static state => ((FlushTicker)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
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

            _watched.Add(stream);
            stream.IsWatched = true;
            if (_watched.Count == 1)
            {
                _timer.Change(_period, Timeout.InfiniteTimeSpan);
            }
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Tick()
    {
        try
        {
            var taken = Take();
            foreach (var stream in taken)
            {
                Tick(stream);
            }

            taken.Clear();
            Volatile.Write(ref _spare, taken);
        }
        catch (Exception)
        {
            // No memory for a list: the next tick tries again.
            _timer.Change(_period, Timeout.InfiniteTimeSpan);
        }
    }

    private List<ResponseStream> Take()
    {
        lock (_lock)
        {
            var taken = _watched;
            _watched = Interlocked.Exchange(ref _spare, null) ?? [];
            foreach (var stream in taken)
            {
                stream.IsWatched = false;
            }

            return taken;
        }
    }

    // Sending happens outside the lock. A failure ends only its own stream: a timer must not throw, and the other streams continue.
    private void Tick(ResponseStream stream)
    {
        try
        {
            stream.OnTick(_settings.Now());
            if (stream.IsWaiting)
            {
                Watch(stream);
            }
        }
        catch (Exception)
        {
            stream.Stall();
        }
    }
}
