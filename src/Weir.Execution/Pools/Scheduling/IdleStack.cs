namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// The idle workers of a pool, the one that became idle last on top: it is warm and is used first, the others age. Also knows until
/// when the standby workers were of use, so that they are not stopped and started repeatedly under a steady load.
/// </summary>
/// <param name="capacity">The most workers; see <see cref="Grow"/>.</param>
/// <param name="standby">How many standby workers are kept while the others are busy.</param>
internal sealed class IdleStack(int capacity, int standby)
{
    private WorkerEntry[] _workers = new WorkerEntry[capacity];

    // Since when no more workers than the standby are idle, and until when that lasted so long that a start would have been too late.
    private TimeSpan _scarceSince;
    private TimeSpan _neededUntil;

    public int Count { get; private set; }

    /// <summary>Since when none is idle. Valid only while none is.</summary>
    public TimeSpan EmptySince { get; private set; }

    public WorkerEntry Top => _workers[Count - 1];

    /// <summary>The worker that has been idle longest.</summary>
    public WorkerEntry Oldest => _workers[0];

    /// <summary>There may be more workers from now on.</summary>
    public void Grow(int capacity) => Array.Resize(ref _workers, capacity);

    public void Push(WorkerEntry worker, TimeSpan startTime, TimeSpan now)
    {
        _workers[Count++] = worker;
        if (Count == standby + 1 && now - _scarceSince >= startTime)
        {
            _neededUntil = now;
        }
    }

    public void Remove(WorkerEntry worker, TimeSpan now)
    {
        var at = Count - 1;
        while (_workers[at] != worker)
        {
            at--;
        }

        Array.Copy(_workers, at + 1, _workers, at, Count - at - 1);
        _workers[--Count] = null!;
        if (Count == 0)
        {
            EmptySince = now;
        }

        if (Count == standby)
        {
            _scarceSince = now;
        }
    }

    /// <summary>From when the age of the worker that has been idle longest counts. Standby workers that are of use now do not age.</summary>
    public TimeSpan AgesFrom(bool anyBusy, TimeSpan startTime, TimeSpan now)
    {
        if (standby > 0 && anyBusy && Count <= standby && now - _scarceSince >= startTime)
        {
            _neededUntil = now;
        }

        return standby > 0 && _neededUntil > Oldest.IdleSince ? _neededUntil : Oldest.IdleSince;
    }
}
