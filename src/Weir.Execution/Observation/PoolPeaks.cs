namespace Weir.Execution.Observation;

/// <summary>The highest values of a pool since they were last taken, so that what lasts less than a second is seen. Under the lock of the pool.</summary>
internal sealed class PoolPeaks
{
    private int _busy;
    private int _queued;

    /// <summary>Something happened.</summary>
    public void Note(int busy, int queued)
    {
        _busy = Math.Max(_busy, busy);
        _queued = Math.Max(_queued, queued);
    }

    /// <summary>Takes the highest values, and begins again with those of now.</summary>
    public (int Busy, int Queued) Take(int busy, int queued)
    {
        Note(busy, queued);
        var taken = (_busy, _queued);
        (_busy, _queued) = (busy, queued);
        return taken;
    }
}
