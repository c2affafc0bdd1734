namespace Weir.Execution.Pools.Core;

/// <summary>The time of one pool: what has passed since the pool was created.</summary>
internal readonly struct PoolClock(TimeProvider time)
{
    private readonly TimeProvider _time = time;
    private readonly long _start = time.GetTimestamp();

    public TimeSpan Now => _time.GetElapsedTime(_start);

    /// <summary>The pool's time of a moment that a worker reports, in nanoseconds of the clock that both use.</summary>
    public TimeSpan At(ulong nanoseconds)
    {
        var ticks = nanoseconds * (_time.TimestampFrequency / 1e9);
        return ticks < long.MaxValue ? _time.GetElapsedTime(_start, (long)ticks) : TimeSpan.Zero;
    }
}
