using System.Numerics;

namespace Weir.Lab.Measuring;

/// <summary>Counts of durations in nanoseconds, to three significant digits: a value is off by less than one part in a thousand.</summary>
/// <remarks>One writer. Histograms of several threads are merged. Memory is fixed: 280 KB, whatever is recorded.</remarks>
internal sealed class Histogram
{
    // Values below 2^11 have a slot each; above, every octave has 2^10 slots.
    private const int PrecisionBits = 10;
    private const int Slots = 1 << PrecisionBits;

    // About 18 minutes; longer ones count as this.
    private const int Octaves = 40 - PrecisionBits;
    private const long Highest = (1L << 40) - 1;

    private readonly long[] _counts = new long[(Octaves + 1) * Slots];

    public long Count { get; private set; }

    /// <summary>Exact, not rounded to a slot. Zero while nothing was recorded.</summary>
    public long Max { get; private set; }

    public void Record(long nanoseconds)
    {
        var value = Math.Clamp(nanoseconds, 0, Highest);
        _counts[SlotOf(value)]++;
        Count++;
        Max = Math.Max(Max, value);
    }

    public void Record(TimeSpan duration) => Record((long)duration.TotalNanoseconds);

    /// <summary>Adds everything that the other one counted.</summary>
    public void Merge(Histogram other)
    {
        for (var slot = 0; slot < _counts.Length; slot++)
            _counts[slot] += other._counts[slot];

        Count += other.Count;
        Max = Math.Max(Max, other.Max);
    }

    /// <summary>The least value that at least this share of all values does not exceed, in nanoseconds; zero when nothing was recorded.</summary>
    /// <param name="percent">From 0 (the lowest) to 100 (the highest).</param>
    public double Percentile(double percent)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(percent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        if (Count == 0)
            return 0;

        var rank = Math.Max(1, (long)Math.Ceiling(percent / 100 * Count));
        if (rank == Count)
            return Max;

        long seen = 0;
        var slot = 0;
        while ((seen += _counts[slot]) < rank)
            slot++;

        return Math.Min(MiddleOf(slot), Max);
    }

    /// <summary>A percentile in microseconds.</summary>
    public double Microseconds(double percent) => Percentile(percent) / 1_000;

    /// <summary>A percentile in milliseconds.</summary>
    public double Milliseconds(double percent) => Percentile(percent) / 1_000_000;

    private static int SlotOf(long value)
    {
        if (value < 2 * Slots)
            return (int)value;

        var shift = BitOperations.Log2((ulong)value) - PrecisionBits;
        return (shift * Slots) + (int)(value >> shift);
    }

    private static double MiddleOf(int slot)
    {
        if (slot < 2 * Slots)
            return slot;

        var shift = (slot / Slots) - 1;
        var lowest = (long)(slot - (shift * Slots)) << shift;
        return lowest + (((1L << shift) - 1) / 2.0);
    }
}
