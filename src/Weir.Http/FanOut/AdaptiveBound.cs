namespace Weir.Http.FanOut;

/// <summary>
/// A bound that finds out how many requests the servers can take: additive increase, multiplicative decrease. Under the lock of the limiter.
/// </summary>
/// <param name="most">The bound is at most this.</param>
internal sealed class AdaptiveBound(int most)
{
    private const int Initial = 10;

    // Fewer times than this say nothing about a 95th percentile.
    private const int LeastTimes = 20;

    // A server that became slower for good is accepted as normal after about 35 rounds.
    private const double Forgetting = 1.02;

    // Since the last decision; bounded by the bound, or LeastTimes.
    private readonly List<long> _times = [];
    private double? _lowest;
    private int _completed;
    private long _halvedAt = long.MinValue;

    /// <summary>How many requests may be in flight.</summary>
    public int Current { get; private set; } = Math.Min(Initial, most);

    /// <summary>The headers of a response arrived, or the request failed.</summary>
    /// <param name="isRefused">The status was 429 or 503.</param>
    /// <param name="startedAt">When the request was sent, as a timestamp.</param>
    /// <param name="now">Now, as a timestamp.</param>
    public void Complete(bool isRefused, long startedAt, long now)
    {
        // Sent under the old bound: it says nothing about the new one.
        if (startedAt <= _halvedAt)
        {
            return;
        }

        if (isRefused)
        {
            Halve(now);
            return;
        }

        _completed++;
        _times.Add(now - startedAt);
        if (_times.Count < LeastTimes)
        {
            Grow();
            return;
        }

        if (_completed < Current)
        {
            return;
        }

        _times.Sort();
        var p95 = (double)_times[(int)Math.Ceiling(0.95 * _times.Count) - 1];
        _times.Clear();
        if (_lowest is { } lowest && p95 > 2 * lowest)
        {
            _lowest = lowest * Forgetting;
            Halve(now);
            return;
        }

        _lowest = Math.Min(p95, _lowest * Forgetting ?? p95);
        Grow();
    }

    private void Grow()
    {
        if (_completed >= Current)
        {
            _completed = 0;
            Current = Math.Min(most, Current + 1);
        }
    }

    private void Halve(long now)
    {
        Current = Math.Max(1, Current / 2);
        _halvedAt = now;
        _completed = 0;
        _times.Clear();
    }
}
