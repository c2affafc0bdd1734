namespace Weir.Load.Measuring;

/// <summary>When the requests of an open load are due.</summary>
/// <remarks>One reader at a time.</remarks>
internal sealed class Arrivals
{
    // Of the number of a request and when the one before it was due, in seconds.
    private readonly Func<long, double, double> _due;
    private long _number;
    private double _last;

    private Arrivals(Func<long, double, double> due, double share) => (_due, Share) = (due, share);

    /// <summary>How many seconds after the last request its share of the time ends; of random gaps, each of which is before its request, zero.</summary>
    public double Share { get; }

    /// <summary>Those that options describe, which have a rate.</summary>
    public static Arrivals Of(LoadOptions options) =>
        options.IsPoisson ? Poisson(options.Rate!.Value, new Random(options.Seed)) : Constant(options.Rate!.Value);

    /// <summary>At equal distances; the first at once.</summary>
    public static Arrivals Constant(double rate) => new((number, _) => number / rate, 1 / rate);

    /// <summary>As of many users who do not know of each other: gaps are exponentially distributed.</summary>
    public static Arrivals Poisson(double rate, Random random) => new((_, last) => last - (Math.Log(1 - random.NextDouble()) / rate), 0);

    /// <summary>
    /// Each somewhere in its share of the time, always at the same place: multiples of the golden ratio fill the share evenly. Equal distances would keep
    /// step with the tick of the kernel, and measure where they began.
    /// </summary>
    public static Arrivals Spread(double rate) => new((number, _) => (number + (number * 0.6180339887498949 % 1)) / rate, 1 / rate);

    /// <summary>When the next request is due, in seconds from the begin of the load.</summary>
    public double Next() => _last = _due(_number++, _last);
}
