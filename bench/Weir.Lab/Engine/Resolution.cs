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

    /// <summary>
    /// Of a ratio: that of the machine, or what the rounds of the ratio itself leave open, whichever is more. From four rounds on
    /// that is half of their range. Fewer rarely show how far rounds lie apart: the whole range of three; two and a half ranges of
    /// two; and of one, which has no range, four times what the machine can tell. Thus two runs of the same thing, in which
    /// nothing but chance differs, are told apart once in twenty times or less, and of five rounds hardly ever.
    /// </summary>
    public static double OfRatio(double machine, double low, double high, int rounds)
    {
        var range = low > 0 ? high / low : 1;
        var open = rounds switch
        {
            1 => Math.Pow(1 + machine, 4),
            2 => Math.Pow(range, 2.5),
            3 => range,
            _ => Math.Sqrt(range),
        };
        return Math.Max(machine, open - 1);
    }

    /// <summary>How far two figures are apart, in parts of the smaller: the same from A to B and from B to A.</summary>
    public static double Distance(double a, double b)
    {
        var (low, high) = (Math.Min(a, b), Math.Max(a, b));
        return low == high ? 0 : low > 0 ? (high / low) - 1 : double.PositiveInfinity;
    }
}
