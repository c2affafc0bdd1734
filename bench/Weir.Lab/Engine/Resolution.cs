namespace Weir.Lab.Engine;

/// <summary>The smallest relative difference that can be distinguished.</summary>
internal static class Resolution
{
    // Below this, two identical programs on a quiet machine still differ: code layout, placement of threads.
    private const double Least = 0.01;

    // The fewest that a ratio in a full run comes from.
    private const int RoundsOfRatio = 3;

    /// <summary>
    /// Of a machine, from rounds of two identical contenders that alternated: the largest ratio that three neighbouring rounds of
    /// them showed, taken as every ratio is, by the median of their quotients. What is called a difference must be one that twins
    /// do not show; one pair in which the machine became slow is no ratio.
    /// </summary>
    public static double OfTwins(Series one, Series other) => one.Over(other) is { IsMeasured: true } quotients
        ? Math.Max(Least, quotients.MediansOf(RoundsOfRatio).Max(ratio => Distance(ratio, 1)))
        : throw new ArgumentException("Two identical contenders need equally many rounds, all of them measured.");

    /// <summary>
    /// Of a ratio: that of the machine, or what the rounds of the ratio itself leave open, whichever is more. Few
    /// rounds rarely show how far rounds lie apart: of six rounds and more it is 0.8 of their range, of five 1.1 ranges, of four
    /// 1.5, of three 3, of two 12; and of one, which has no range, four times what the machine can tell. These are the multiples
    /// with which two runs of the same thing, in which nothing but chance differs, are distinguished by one ratio once in about 700
    /// times: by any of the thirty ratios of a run once in about twenty times. Of two rounds it is once in 200.
    /// </summary>
    public static double OfRatio(double machine, double low, double high, int rounds)
    {
        var range = low > 0 ? high / low : 1;
        var open = rounds switch
        {
            1 => Math.Pow(1 + machine, 4),
            2 => Math.Pow(range, 12),
            3 => Math.Pow(range, 3),
            4 => Math.Pow(range, 1.5),
            5 => Math.Pow(range, 1.1),
            _ => Math.Pow(range, 0.8),
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
