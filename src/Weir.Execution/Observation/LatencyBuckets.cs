using System.Numerics;

namespace Weir.Execution.Observation;

/// <summary>
/// How long calls of one operation took: counts in 256 buckets, eight for each power of two from 1 µs to 71 minutes, so that the middle of a bucket is at most 6.3 % off.
/// Counts only grow, and wrap: what a time had is the difference of two readings. Any thread; adding allocates nothing and takes no lock.
/// </summary>
internal sealed class LatencyBuckets
{
    /// <summary>How many buckets there are.</summary>
    public const int Count = 256;

    // Eight buckets for each power of two.
    private const int PartBits = 3;

    private const int MostStripes = 4;

    /// <summary>How many counts of each bucket there are unless it is said; a power of two.</summary>
    public static readonly int DefaultStripes = Math.Min(MostStripes, (int)BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount));

    // One after the other, so that threads of different processors seldom write the same cache line. Interlocked.
    private readonly uint[] _counts;
    private readonly int _mask;

    /// <param name="stripes">How many counts of each bucket there are; a power of two.</param>
    public LatencyBuckets(int stripes)
    {
        _counts = new uint[stripes * Count];
        _mask = stripes - 1;
    }

    public LatencyBuckets()
        : this(DefaultStripes)
    {
    }

    /// <summary>What it uses, in bytes.</summary>
    public int Bytes => _counts.Length * sizeof(uint);

    /// <summary>Counts a call.</summary>
    public void Add(TimeSpan time) => Interlocked.Increment(ref _counts[((Thread.GetCurrentProcessorId() & _mask) * Count) + IndexOf(time)]);

    /// <summary>Reads all counts, one after the other: a call that ends during that is in this reading or in the next.</summary>
    /// <param name="counts">Receives <see cref="Count"/> counts.</param>
    public void Read(Span<uint> counts)
    {
        counts = counts[..Count];
        counts.Clear();
        for (var i = 0; i < _counts.Length; i++)
        {
            counts[i % Count] += Volatile.Read(ref _counts[i]);
        }
    }

    /// <summary>The bucket of a time. Times below 1 µs are in the first, those above the last limit in the last.</summary>
    public static int IndexOf(TimeSpan time)
    {
        // In eighths of a microsecond: 4/5 of a tick. The highest bit is the power of two, the next three are the part of it.
        var eighths = time.Ticks <= 0 ? 0 : (ulong)time.Ticks * 4 / 5;
        if (eighths < 1UL << PartBits)
        {
            return 0;
        }

        var power = BitOperations.Log2(eighths);
        var part = (int)(eighths >> (power - PartBits)) & ((1 << PartBits) - 1);
        return Math.Min(((power - PartBits) << PartBits) + part, Count - 1);
    }

    /// <summary>The middle of a bucket, in seconds: a <see cref="TimeSpan"/> does not have the digits of the first ones.</summary>
    public static double SecondsOf(int index)
    {
        var (power, part) = (index >> PartBits, index & ((1 << PartBits) - 1));
        return Math.ScaleB(1 + ((part + 0.5) / (1 << PartBits)), power) / 1e6;
    }
}
