using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class ResolutionTests
{
    [Fact]
    public void Identical_rounds_still_leave_a_percent() => Assert.Equal(0.01, OfTwins([100, 100, 100], [100, 100, 100]));

    [Fact]
    public void A_twin_that_is_always_faster_is_the_resolution() => Assert.Equal(0.2, OfTwins([120, 60, 240], [100, 50, 200]), 3);

    [Fact]
    public void Pairs_that_are_apart_count_although_the_medians_agree() => Assert.Equal(0.5, OfTwins([150, 100, 100], [100, 150, 100]), 3);

    [Fact]
    public void A_machine_that_is_slow_for_a_while_is_slow_for_both()
    {
        // By medians of each it were 100 against 50.
        Assert.Equal(0.01, OfTwins([100, 100, 100, 50, 50], [100, 100, 50, 50, 50]));
    }

    [Fact]
    public void It_does_not_matter_who_is_who() => Assert.Equal(OfTwins([90, 110, 95], [100, 105, 99]), OfTwins([100, 105, 99], [90, 110, 95]), 12);

    [Fact]
    public void Both_need_equally_many_rounds_that_saw_something()
    {
        Assert.Throws<ArgumentException>(() => OfTwins([1, 2], [1]));
        Assert.Throws<ArgumentException>(() => OfTwins([], []));
        Assert.Throws<ArgumentException>(() => OfTwins([1], [0]));
    }

    [Theory]
    [InlineData(0.07, 2, 2, 0.07)]
    [InlineData(0.07, 2, 2.1, 0.07)]
    [InlineData(0.07, 2, 2.88, 0.2)]
    [InlineData(0.07, 0, 3, 0.07)] // no range in parts of nothing
    public void A_ratio_tells_apart_what_the_machine_can_or_half_of_its_own_range(double machine, double low, double high, double resolution) =>
        Assert.Equal(resolution, Resolution.OfRatio(machine, low, high), 6);

    [Theory]
    [InlineData(2, 1, 1)]
    [InlineData(1, 2, 1)]
    [InlineData(0, 0, 0)]
    [InlineData(0, 1, double.PositiveInfinity)]
    public void A_distance_is_the_same_both_ways(double a, double b, double distance) => Assert.Equal(distance, Resolution.Distance(a, b));

    private static double OfTwins(double[] one, double[] other) =>
        Resolution.OfTwins(Series.Of("", one.Select(value => (double?)value)), Series.Of("", other.Select(value => (double?)value)));
}
