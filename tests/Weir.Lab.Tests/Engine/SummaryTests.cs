using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class SummaryTests
{
    [Theory]
    [InlineData(new double[] { 5 }, 5, 5, 5)]
    [InlineData(new double[] { 9, 1, 5 }, 5, 1, 9)]
    [InlineData(new double[] { 4, 1, 3, 2 }, 2.5, 1, 4)]
    public void The_median_stands_between_the_lowest_and_the_highest(double[] values, double median, double low, double high) =>
        Assert.Equal(new Summary(median, low, high), Summary.Of(values));

    [Fact]
    public void Nothing_has_no_summary() => Assert.Throws<ArgumentException>(() => Summary.Of([]));
}
