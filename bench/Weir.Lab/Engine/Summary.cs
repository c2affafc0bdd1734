using Perfolizer.Mathematics.QuantileEstimators;
using Pragmastat;

namespace Weir.Lab.Engine;

/// <summary>Median, lowest and highest of a few rounds.</summary>
internal readonly record struct Summary(double Median, double Low, double High)
{
    /// <summary>The summary of at least one value; an even number of rounds has the mean of the middle two as median.</summary>
    public static Summary Of(IEnumerable<double> values)
    {
        var all = values.ToArray();
        return all.Length > 0
            ? new Summary(SimpleQuantileEstimator.Instance.Median(new Sample(all)), all.Min(), all.Max())
            : throw new ArgumentException("A summary needs at least one value.", nameof(values));
    }
}
