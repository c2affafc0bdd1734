namespace Weir.AspNetCore.Streaming;

/// <summary>
/// How long a producer that never waits has kept its thread. Without a limit a few fast streams would hold every thread of the
/// thread pool: other requests would wait, and so would the work that notifies the streams that their clients have disconnected.
/// Used by one flow at a time.
/// </summary>
internal struct TimeSlice
{
    // Reading the clock costs as much as a small item: it is read only after several items, but several times in a slice.
    private const int MostItems = 64;

    private readonly StreamSettings _settings;
    private readonly long _length;
    private long _began;
    private long _readAt;
    private int _interval = 1;
    private int _items;

    internal TimeSlice(StreamSettings settings)
    {
        _settings = settings;
        _length = settings.Slice;
    }

    /// <summary>The flow waits, and so releases its thread: a new slice begins with its next item.</summary>
    internal void Restart() => _began = 0;

    /// <summary>The flow has a thread again: a new slice begins now.</summary>
    internal void Begin() => _began = _readAt = _settings.Now();

    /// <summary>After each item: whether the thread should be released now.</summary>
    internal bool IsOver()
    {
        if (++_items < _interval)
        {
            return false;
        }

        _items = 0;
        var now = _settings.Now();
        if (_began == 0)
        {
            Begin();
            return false;
        }

        var passed = now - _readAt;
        _readAt = now;
        if (passed < _length / 8)
        {
            _interval = Math.Min(_interval * 2, MostItems);
        }
        else if (passed > _length / 4)
        {
            _interval = Math.Max(_interval / 2, 1);
        }

        return now - _began >= _length;
    }
}
