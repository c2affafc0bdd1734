using HdrHistogram;

namespace Weir.Load.Measuring;

/// <summary>Durations in nanoseconds, to three significant digits.</summary>
/// <remarks>One writer. Histograms of several threads are merged. Memory is fixed from the first value on: about 300 KB.</remarks>
internal sealed class LatencyHistogram
{
    private const int Digits = 3;

    // Two hours; longer ones count as this.
    private const long Highest = 7_200_000_000_000;

    private LongHistogram? _counts;

    public long Count => _counts?.TotalCount ?? 0;

    /// <summary>Zero while nothing was recorded.</summary>
    public double Max => Percentile(100);

    public void Record(long nanoseconds) => Counts().RecordValue(Math.Clamp(nanoseconds, 0, Highest));

    public void Record(TimeSpan duration) => Record((long)duration.TotalNanoseconds);

    /// <summary>The same value several times.</summary>
    public void Record(long nanoseconds, long times) => Counts().RecordValueWithCount(Math.Clamp(nanoseconds, 0, Highest), times);

    /// <summary>Adds everything that the other one counted.</summary>
    public void Merge(LatencyHistogram other)
    {
        if (other._counts is { } counts)
        {
            Counts().Add(counts);
        }
    }

    /// <summary>The least value that at least this share of all values does not exceed, in nanoseconds; zero when nothing was recorded.</summary>
    /// <param name="percent">From 0 (the lowest) to 100 (the highest).</param>
    public double Percentile(double percent)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(percent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        return _counts is { TotalCount: > 0 } counts ? counts.GetValueAtPercentile(percent) : 0;
    }

    /// <summary>A percentile in microseconds.</summary>
    public double Microseconds(double percent) => Percentile(percent) / 1_000;

    /// <summary>A percentile in milliseconds.</summary>
    public double Milliseconds(double percent) => Percentile(percent) / 1_000_000;

    public LatencySummary Summary() =>
        new(Count, Milliseconds(50), Milliseconds(90), Milliseconds(99), Milliseconds(99.9), Milliseconds(100));

    private LongHistogram Counts() => _counts ??= new LongHistogram(1, Highest, Digits);
}
