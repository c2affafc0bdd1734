namespace Weir.Lab.Engine;

/// <summary>The smallest relative difference that this machine can tell apart right now.</summary>
internal static class Resolution
{
    // Below this, two identical programs on a quiet machine still differ: code layout, placement of threads.
    private const double Least = 0.01;

    /// <summary>
    /// From rounds of two identical contenders that alternated: how far their medians are apart, or how far a pair of
    /// rounds usually is, whichever is more.
    /// </summary>
    public static double Of(IReadOnlyList<double> a, IReadOnlyList<double> b)
    {
        if (a.Count == 0 || a.Count != b.Count)
            throw new ArgumentException($"Two identical contenders need equally many rounds; there are {a.Count} and {b.Count}.");

        var apart = Distance(Summary.Of(a).Median, Summary.Of(b).Median);
        var usual = Summary.Of(a.Zip(b, Distance)).Median;
        return Math.Max(Least, Math.Max(apart, usual));
    }

    // The same for A against B and B against A.
    private static double Distance(double a, double b) => Math.Max(a, b) / Math.Min(a, b) - 1;
}
