using System.Diagnostics.Metrics;
using Weir.Execution.Threading;

namespace Weir.Execution.Diagnostics;

/// <summary>
/// Measurements that wait to be recorded in one histogram, whose listeners are foreign code and may block: they are recorded on the
/// thread pool, one thread at a time and in order. Bounded; measurements that arrive while it is full are counted and lost. Any thread.
/// </summary>
/// <param name="instrument">The histogram in which they are recorded.</param>
/// <param name="tag">The tag of measurements that are added without tags of their own.</param>
internal sealed class MeasurementQueue(Histogram<double> instrument, KeyValuePair<string, object?> tag) : IWorkItem
{
    /// <summary>How many may wait.</summary>
    public const int Most = 16 * 1024;

    private readonly KeyValuePair<string, object?>[] _tags = [tag];
    private readonly Lock _gate = new();

    // Protected by _gate.
    private List<(double Value, KeyValuePair<string, object?>[] Tags)> _waiting = [];
    private bool _isQueued;
    private long _lost;

    // Only the recording thread uses it.
    private List<(double Value, KeyValuePair<string, object?>[] Tags)> _recording = [];

    /// <summary>How many were lost because their listeners were too slow.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Records them soon.</summary>
    public void Add(ReadOnlySpan<TimeSpan> times)
    {
        bool mustQueue;
        lock (_gate)
        {
            for (var i = 0; i < times.Length; i++)
            {
                if (_waiting.Count == Most)
                {
                    _lost += times.Length - i;
                    break;
                }

                _waiting.Add((times[i].TotalSeconds, _tags));
            }

            mustQueue = !_isQueued;
            _isQueued = true;
        }

        if (mustQueue)
        {
            Callbacks.Queue(this);
        }
    }

    /// <summary>Records one soon, with tags that are not changed any more.</summary>
    public void Add(TimeSpan time, KeyValuePair<string, object?>[] tags)
    {
        bool mustQueue;
        lock (_gate)
        {
            if (_waiting.Count == Most)
            {
                _lost++;
                return;
            }

            _waiting.Add((time.TotalSeconds, tags));
            mustQueue = !_isQueued;
            _isQueued = true;
        }

        if (mustQueue)
        {
            Callbacks.Queue(this);
        }
    }

    // Exceptions of a listener are handled below.
    void IWorkItem.OnFailed(Exception failure)
    {
    }

    void IWorkItem.Run()
    {
        while (true)
        {
            lock (_gate)
            {
                if (_waiting.Count == 0)
                {
                    _isQueued = false;
                    return;
                }

                (_waiting, _recording) = (_recording, _waiting);
            }

            foreach (var (value, tags) in _recording)
            {
                try
                {
                    instrument.Record(value, tags);
                }
                catch (Exception)
                {
                    // A listener that throws loses its own measurement.
                }
            }

            _recording.Clear();
        }
    }
}
