namespace Weir.Lab.Engine;

/// <summary>The smallest relative difference that can be told apart.</summary>
internal static class Resolution
{
    // Below this, two identical programs on a quiet machine still differ: code layout, placement of threads.
    private const double Least = 0.01;

    /// <summary>
    /// Of a machine, from rounds of two identical contenders that alternated: how far a pair of neighbouring rounds usually is
    /// apart. Pairs, because a machine may be slow for seconds: that meets both, and says nothing about what it can tell apart.
    /// One twin that is always faster counts in full: then every pair is that far apart.
    /// </summary>
    public static double OfTwins(Series one, Series other) => one.Over(other) is { IsMeasured: true } quotients
        ? Math.Max(Least, quotients.MedianOf(quotient => Distance(quotient, 1)))
        : throw new ArgumentException("Two identical contenders need equally many rounds, all of them measured.");

    /// <summary>Of a ratio: that of the machine, or half the range of the ratio's own rounds, whichever is more.</summary>
    public static double OfRatio(double machine, double low, double high) =>
        Math.Max(machine, low > 0 ? Distance(Math.Sqrt(high / low), 1) : 0);

    /// <summary>How far two figures are apart, in parts of the smaller: the same from A to B and from B to A.</summary>
    public static double Distance(double a, double b)
    {
        var (low, high) = (Math.Min(a, b), Math.Max(a, b));
        return low == high ? 0 : low > 0 ? (high / low) - 1 : double.PositiveInfinity;
    }
}
