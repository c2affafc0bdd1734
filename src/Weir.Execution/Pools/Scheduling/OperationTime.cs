namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a pool has learnt of the time one operation takes in a worker. Under the pool's lock.</summary>
internal sealed class OperationTime
{
    /// <summary>Before so many calls the time is unknown: the first ones pay for the compiler.</summary>
    public const int LeastSamples = 4;

    // A new call moves the figure by an eighth of the difference.
    private const int Weight = 8;

    private int _samples;
    private long _ticks;

    /// <summary>The usual time; <c>null</c> while it is unknown.</summary>
    public TimeSpan? Usual => _samples < LeastSamples ? null : new TimeSpan(_ticks);

    /// <summary>One more call took so long. The shortest of the first ones is where the figure begins.</summary>
    public void Learn(TimeSpan took)
    {
        // A tenth of a microsecond is what can be told apart, and keeps a sum of many from being nothing.
        var ticks = Math.Max(1, took.Ticks);
        if (_samples < LeastSamples)
        {
            _ticks = _samples == 0 ? ticks : Math.Min(_ticks, ticks);
            _samples++;
        }
        else
        {
            // Up by one tick at least, or a small figure would never move.
            var step = (ticks - _ticks) / Weight;
            _ticks = Math.Max(1, _ticks + (step == 0 ? Math.Sign(ticks - _ticks) : step));
        }
    }
}
