namespace Weir.Lab.Engine;

/// <summary>Median, lowest and highest of a few rounds.</summary>
internal readonly record struct Summary(double Median, double Low, double High)
{
    /// <summary>The summary of at least one value; an even number of rounds has the mean of the middle two as median.</summary>
    public static Summary Of(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        if (sorted.Length == 0)
            throw new ArgumentException("A summary needs at least one value.", nameof(values));

        var middle = sorted.Length / 2;
        var median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Summary(median, sorted[0], sorted[^1]);
    }
}
