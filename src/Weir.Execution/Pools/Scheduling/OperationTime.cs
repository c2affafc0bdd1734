namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a pool has learnt of the time one operation takes in a worker. Under the pool's lock.</summary>
internal sealed class OperationTime
{
    /// <summary>With fewer calls than this the time is unknown: the first calls include the time of the JIT compiler.</summary>
    public const int LeastSamples = 4;

    // A new call changes the estimate by an eighth of the difference.
    private const int Weight = 8;

    private int _samples;
    private long _ticks;

    /// <summary>The usual time; <c>null</c> while it is unknown.</summary>
    public TimeSpan? Usual => _samples < LeastSamples ? null : new TimeSpan(_ticks);

    /// <summary>Learns from one more call. The estimate begins with the shortest of the first calls.</summary>
    public void Learn(TimeSpan took)
    {
        // One tick, a tenth of a microsecond, is the resolution; at least one keeps the sum of many calls above zero.
        var ticks = Math.Max(1, took.Ticks);
        if (_samples < LeastSamples)
        {
            _ticks = _samples == 0 ? ticks : Math.Min(_ticks, ticks);
            _samples++;
        }
        else
        {
            // By one tick at least, or a small estimate would never change.
            var step = (ticks - _ticks) / Weight;
            _ticks = Math.Max(1, _ticks + (step == 0 ? Math.Sign(ticks - _ticks) : step));
        }
    }
}
