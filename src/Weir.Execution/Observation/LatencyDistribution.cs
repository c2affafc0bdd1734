namespace Weir.Execution.Observation;

/// <summary>How long the calls of some time took: the sum of differences of readings of <see cref="LatencyBuckets"/>. One thread.</summary>
internal sealed class LatencyDistribution
{
    private readonly long[] _counts = new long[LatencyBuckets.Count];

    /// <summary>How many calls it has.</summary>
    public long Total { get; private set; }

    /// <summary>Adds the calls of one interval.</summary>
    public void Add(LatencyInterval interval)
    {
        foreach (var (index, count) in interval)
        {
            _counts[index] += count;
            Total += count;
        }
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Array.Clear(_counts);
        Total = 0;
    }

    /// <summary>The time that this part of the calls did not exceed, in seconds, at most 6.3 % off; <c>null</c> without a call.</summary>
    /// <param name="part">0 to 1: 0.95 for the 95th percentile, 1 for the longest.</param>
    public double? Percentile(double part)
    {
        if (Total == 0)
        {
            return null;
        }

        var rank = Math.Clamp((long)Math.Ceiling(part * Total), 1, Total);
        var index = 0;
        for (var passed = _counts[0]; passed < rank; passed += _counts[index])
        {
            index++;
        }

        return LatencyBuckets.SecondsOf(index);
    }
}
