namespace Weir.Execution.Pools.Core;

/// <summary>The time of one pool: what passed since it was made.</summary>
internal readonly struct PoolClock(TimeProvider time)
{
    private readonly TimeProvider _time = time;
    private readonly long _start = time.GetTimestamp();

    public TimeSpan Now => _time.GetElapsedTime(_start);

    /// <summary>The pool's time of a moment that a worker names, in nanoseconds of the clock both have.</summary>
    public TimeSpan At(ulong nanoseconds)
    {
        var ticks = nanoseconds * (_time.TimestampFrequency / 1e9);
        return ticks < long.MaxValue ? _time.GetElapsedTime(_start, (long)ticks) : TimeSpan.Zero;
    }
}
