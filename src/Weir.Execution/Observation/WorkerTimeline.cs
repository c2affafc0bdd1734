namespace Weir.Execution.Observation;

/// <summary>The last events of all workers of the application, the oldest of which are dropped. Uses memory from the first event on, and more as there are more. Any thread.</summary>
/// <param name="capacity">How many are kept; a power of two.</param>
internal sealed class WorkerTimeline(int capacity = WorkerTimeline.DefaultCapacity)
{
    /// <summary>How many events an application keeps.</summary>
    public const int DefaultCapacity = 4096;

    private const int FirstLength = 32;

    private readonly Lock _gate = new();

    // Under _gate. A ring once it has its full length; before that nothing was dropped.
    private WorkerEvent[] _events = [];
    private long _count;

    /// <summary>How many events there were so far; the number of the next one.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Keeps an event.</summary>
    public void Add(in WorkerEvent added)
    {
        lock (_gate)
        {
            if (_count == _events.Length && _events.Length < capacity)
            {
                Array.Resize(ref _events, Math.Min(capacity, Math.Max(FirstLength, 2 * _events.Length)));
            }

            _events[_count % _events.Length] = added;
            Volatile.Write(ref _count, _count + 1);
        }
    }

    /// <summary>The events from a number on that are still kept, the oldest first.</summary>
    /// <param name="first">The number of the first: 0 for all, or the <see cref="Count"/> of an earlier reading.</param>
    /// <param name="dropped">How many of these events were dropped already.</param>
    public WorkerEvent[] Read(long first, out long dropped)
    {
        lock (_gate)
        {
            var kept = Math.Max(first, _count - _events.Length);
            dropped = kept - first;
            if (kept >= _count)
            {
                return [];
            }

            var events = new WorkerEvent[_count - kept];
            for (var i = 0; i < events.Length; i++)
            {
                events[i] = _events[(kept + i) % _events.Length];
            }

            return events;
        }
    }
}
