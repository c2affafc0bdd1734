namespace Weir.Protocol;

/// <summary>
/// When to poll a channel instead of sleeping in the kernel: waking an idle processor takes 40 µs, polling a few. Between two
/// looks the thread yields, so that it takes nothing from others; where a yield takes long, others need this processor, and
/// polling would make both slower.
/// </summary>
/// <remarks>Not thread-safe: the waiting thread owns it. Times are in ticks of the clock given.</remarks>
/// <param name="ticksPerSecond">Of the clock.</param>
/// <param name="longest">The longest a thread polls; <see cref="Longest"/> where it is left out.</param>
public struct SpinRule(long ticksPerSecond, TimeSpan? longest = null)
{
    /// <summary>The longest a thread polls: somewhat more than a wake-up takes.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMicroseconds(50);

    /// <summary>A yield above this was somebody's slice: a yield to nobody takes a microsecond.</summary>
    public static readonly TimeSpan LongYield = TimeSpan.FromMicroseconds(500);

    /// <summary>The longest that nobody polls after one.</summary>
    public static readonly TimeSpan Penalty = TimeSpan.FromMilliseconds(50);

    // Nobody polls for so many times as long as the yield took, so that a slice now and then costs a twelfth of the time. What compiles in
    // the background takes a processor for a millisecond; who computes takes a slice of 4.
    private const int PenaltyFactor = 12;

    private readonly long _longest = ticksPerSecond / TimeSpan.TicksPerSecond * (longest ?? Longest).Ticks;
    private long _barredUntil = long.MinValue;
    private long _began;
    private long _looked;

    /// <summary>Whether to poll at all.</summary>
    /// <param name="now">The time.</param>
    public bool Begin(long now)
    {
        _began = _looked = now;
        return now >= _barredUntil;
    }

    /// <summary>For how long nobody is to poll, because of a yield that took too long; zero for most.</summary>
    /// <param name="now">The time.</param>
    public readonly TimeSpan BarredFor(long now) => now < _barredUntil ? TimeSpan.FromSeconds((double)(_barredUntil - now) / ticksPerSecond) : TimeSpan.Zero;

    /// <summary>Whether to look once more, after a look that found nothing and a yield.</summary>
    /// <param name="now">The time.</param>
    public bool GoOn(long now)
    {
        var yield = now - _looked;
        if (yield > Ticks(LongYield))
        {
            _barredUntil = now + Math.Min(PenaltyFactor * yield, Ticks(Penalty));
            return false;
        }

        _looked = now;
        return now - _began <= _longest;
    }

    private readonly long Ticks(TimeSpan time) => ticksPerSecond / TimeSpan.TicksPerSecond * time.Ticks;
}
