using Weir.Lab.Engine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Engine;

public sealed class ResolutionTests
{
    [Fact]
    public void Identical_rounds_still_leave_a_percent() => Assert.Equal(0.01, OfTwins([100, 100, 100], [100, 100, 100]));

    [Fact]
    public void A_twin_that_is_always_faster_is_the_resolution() => Assert.Equal(0.2, OfTwins([120, 60, 240], [100, 50, 200]), 3);

    [Fact]
    public void Twins_that_are_apart_for_a_while_count_although_they_mostly_agree() =>
        Assert.Equal(0.5, OfTwins([100, 100, 100, 150, 150, 100], [100, 100, 100, 100, 100, 100]), 3);

    [Fact]
    public void A_single_pair_that_is_apart_is_no_ratio() => Assert.Equal(0.01, OfTwins([150, 100, 100], [100, 150, 100]), 3);

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
    [InlineData(0.07, 2, 2, 5, 0.07)]
    [InlineData(0.07, 2, 2.1, 6, 0.07)]
    [InlineData(0.07, 2, 2.88, 5, 0.493478)]
    [InlineData(0.07, 2, 2.88, 4, 0.728)]
    [InlineData(0.07, 2, 2.88, 3, 1.985984)]
    [InlineData(0.07, 2, 2.2, 2, 2.138428)]
    [InlineData(0.1, 2, 2, 1, 0.4641)]
    [InlineData(0.07, 0, 3, 5, 0.07)] // no range in parts of nothing
    public void A_ratio_tells_apart_what_the_machine_can_or_what_its_own_rounds_leave_open(double machine, double low, double high, int rounds, double resolution) =>
        Assert.Equal(resolution, Resolution.OfRatio(machine, low, high, rounds), 6);

    [Theory]
    [InlineData(1, 0.02)]
    [InlineData(2, 0.01)]
    [InlineData(3, 0.003)]
    [InlineData(4, 0.003)]
    [InlineData(5, 0.003)]
    [InlineData(6, 0.003)]
    public void Runs_that_differ_by_nothing_but_chance_are_seldom_told_apart(int rounds, double share)
    {
        // Rounds that vary by a tenth, on a machine whose twins do: three neighbouring rounds show as much once.
        const int Runs = 4_000;
        const double Noise = 0.1;
        const double Machine = 0.1;
        var random = new Random(20260101);
        var wrong = Enumerable.Range(0, Runs).Count(_ => new PromiseChange("", "", Run(), Run()).Disagrees);
        Assert.InRange(wrong, 0, share * Runs);

        PromiseReport Run()
        {
            var quotients = Enumerable.Range(0, rounds).Select(_ => (double?)Math.Exp(Noise * Normal())).ToArray();
            return PromiseReport.Of(Promise.Ratio("", Series.Of("case", quotients), Relation.AtLeast, 1), Machine);
        }

        double Normal() => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
    }

    [Theory]
    [InlineData(3)]
    [InlineData(5)]
    public void Runs_that_differ_by_far_more_than_chance_are_told_apart(int rounds)
    {
        var before = Enumerable.Range(0, rounds).Select(i => (double?)(1 + (0.02 * i))).ToArray();
        Assert.True(new PromiseChange("", "", Of(before), Of([.. before.Select(value => value * 1.3)])).Disagrees);

        static PromiseReport Of(double?[] quotients) => PromiseReport.Of(Promise.Ratio("", Series.Of("case", quotients), Relation.AtLeast, 1), 0.07);
    }

    [Theory]
    [InlineData(2, 1, 1)]
    [InlineData(1, 2, 1)]
    [InlineData(0, 0, 0)]
    [InlineData(0, 1, double.PositiveInfinity)]
    public void A_distance_is_the_same_both_ways(double a, double b, double distance) => Assert.Equal(distance, Resolution.Distance(a, b));

    private static double OfTwins(double[] one, double[] other) =>
        Resolution.OfTwins(Series.Of("", one.Select(value => (double?)value)), Series.Of("", other.Select(value => (double?)value)));
}
