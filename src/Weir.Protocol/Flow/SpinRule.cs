namespace Weir.Protocol;

/// <summary>
/// When to poll a channel instead of sleeping in the kernel: waking an idle processor takes 40 µs, polling a few. Between two
/// looks the thread yields, so that it takes nothing from others; where a yield takes long, others need this processor, and
/// polling would make both slower.
/// </summary>
/// <remarks>Not thread-safe: the waiting thread owns it. Times are in ticks of the clock given.</remarks>
/// <param name="ticksPerSecond">Of the clock.</param>
public struct SpinRule(long ticksPerSecond)
{
    /// <summary>The longest a thread polls: somewhat more than a wake-up takes.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMicroseconds(50);

    /// <summary>A yield above this was somebody's slice: a yield to nobody takes a microsecond.</summary>
    public static readonly TimeSpan LongYield = TimeSpan.FromMicroseconds(500);

    /// <summary>How long nobody polls after one.</summary>
    public static readonly TimeSpan Penalty = TimeSpan.FromMilliseconds(50);

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

    /// <summary>Whether a yield took so long that nobody is to poll for a while.</summary>
    /// <param name="now">The time.</param>
    public readonly bool IsBarred(long now) => now < _barredUntil;

    /// <summary>Whether to look once more, after a look that found nothing and a yield.</summary>
    /// <param name="now">The time.</param>
    public bool GoOn(long now)
    {
        if (now - _looked > Ticks(LongYield))
        {
            _barredUntil = now + Ticks(Penalty);
            return false;
        }

        _looked = now;
        return now - _began <= Ticks(Longest);
    }

    private readonly long Ticks(TimeSpan time) => ticksPerSecond / TimeSpan.TicksPerSecond * time.Ticks;
}
