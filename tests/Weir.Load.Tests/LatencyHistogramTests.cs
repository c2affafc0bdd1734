using Weir.Load.Measuring;

namespace Weir.Load.Tests;

public sealed class LatencyHistogramTests
{
    private const double ThreeDigits = 0.001;

    [Theory]
    [InlineData(1, 1_000)]
    [InlineData(2, 100_000)]
    [InlineData(3, 50_000_000)]
    [InlineData(4, 900_000_000_000)]
    public void Percentiles_are_exact_to_three_digits(int seed, long most)
    {
        var random = new Random(seed);
        var histogram = new LatencyHistogram();
        var values = new long[10_007];
        for (var i = 0; i < values.Length; i++)
        {
            // Spread over the octaves, as latencies are.
            values[i] = (long)Math.Pow(most, random.NextDouble());
            histogram.Record(values[i]);
        }

        Array.Sort(values);
        foreach (var percent in new[] { 0, 0.1, 1, 25, 50, 90, 99, 99.9, 99.99, 100 })
        {
            var exact = values[Math.Max(0, (int)((percent / 100 * values.Length) + 0.5) - 1)];
            Assert.InRange(histogram.Percentile(percent), exact * (1 - ThreeDigits), exact * (1 + ThreeDigits));
        }
    }

    [Fact]
    public void Small_values_are_exact()
    {
        var histogram = new LatencyHistogram();
        for (var value = 0; value < 2048; value++)
            histogram.Record(value);

        Assert.Equal(0, histogram.Percentile(0));
        Assert.Equal(1023, histogram.Percentile(50));
        Assert.Equal(2047, histogram.Percentile(100));
    }

    [Fact]
    public void Merged_histograms_are_as_one()
    {
        var (all, even, odd) = (new LatencyHistogram(), new LatencyHistogram(), new LatencyHistogram());
        for (var value = 1; value < 100_000; value += 7)
        {
            all.Record(value);
            (value % 2 == 0 ? even : odd).Record(value);
        }

        even.Merge(odd);
        Assert.Equal(all.Count, even.Count);
        Assert.Equal(all.Max, even.Max);
        Assert.All([1, 50, 99.9], percent => Assert.Equal(all.Percentile(percent), even.Percentile(percent)));
    }

    [Fact]
    public void The_highest_value_is_exact_to_three_digits()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(123_456_789);
        histogram.Record(1);
        Assert.Equal(123_456_789, histogram.Percentile(100), 123_456_789 * ThreeDigits);
        Assert.Equal(123_456_789, histogram.Max, 123_456_789 * ThreeDigits);
    }

    [Fact]
    public void Values_out_of_range_count_as_the_nearest()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(-5);
        histogram.Record(long.MaxValue);
        Assert.Equal(2, histogram.Count);
        Assert.Equal(0, histogram.Percentile(50));
        Assert.Equal(7_200_000_000_000, histogram.Max, 7_200_000_000_000 * ThreeDigits);
    }

    [Fact]
    public void An_empty_one_says_zero() => Assert.Equal(0, new LatencyHistogram().Percentile(99));

    [Theory]
    [InlineData(-1)]
    [InlineData(101)]
    public void There_is_no_such_percentile(double percent) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new LatencyHistogram().Percentile(percent));
}
