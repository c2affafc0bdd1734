using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class PromiseTests
{
    [Theory]
    [InlineData(Relation.AtMost, 5, 5, true)]
    [InlineData(Relation.AtMost, 5.1, 5, false)]
    [InlineData(Relation.AtLeast, 5, 5, true)]
    [InlineData(Relation.AtLeast, 4.9, 5, false)]
    [InlineData(Relation.Exactly, 0, 0, true)]
    [InlineData(Relation.Exactly, 1, 0, false)]
    internal void It_holds_when_the_value_stands_as_promised(Relation relation, double value, double limit, bool holds) =>
        Assert.Equal(holds, Promise.Count("lost", Of(value), relation, limit).Holds);

    [Theory]
    [InlineData(Relation.AtMost, 0, 0, 1)]
    [InlineData(Relation.AtLeast, 5, 5, 4)]
    [InlineData(Relation.Exactly, 1, 1, 0)]
    [InlineData(Relation.Exactly, 1, 1, 2)]
    internal void One_round_that_breaks_it_breaks_a_count(Relation relation, double limit, double good, double bad)
    {
        var promise = Promise.Count("lost", Of(good, bad, good), relation, limit);
        Assert.False(promise.Holds);
        Assert.Equal(bad, promise.Value);
        Assert.True(Promise.Count("lost", Of(good, good, good), relation, limit).Holds);
    }

    [Fact]
    public void A_latency_is_decided_by_its_median_round()
    {
        Assert.True(Promise.Latency("first item", Of(20, 500, 24), 25).Holds);
        Assert.False(Promise.Latency("first item", Of(20, 26, 27), 25).Holds);
    }

    [Fact]
    public void A_ratio_is_the_median_of_its_rounds_quotients()
    {
        // The machine was at half speed from the second round on, but for a moment in the third: by medians it were 100 ÷ 25.
        var promise = Promise.Ratio("faster", Of(100, 50, 100), Of(50, 25, 25), Relation.AtMost, 2);
        Assert.Equal(2, promise.Value);
        Assert.True(promise.Holds);
        Assert.Equal(new Summary(2, 2, 4), promise.Readings.Summary);
    }

    [Fact]
    public void What_is_a_quotient_already_is_taken_as_it_is() => Assert.Equal(1.1, Promise.Ratio("beside alone", Of(1, 1.1, 1.2), Relation.AtMost, 1.15).Value);

    [Fact]
    public void What_was_not_measured_in_every_round_does_not_hold()
    {
        foreach (var missing in new[] { Series.None, Series.Of("case", 0, null, 0), Series.Of("case", [null]) })
        {
            Assert.False(Promise.Count("lost", missing, Relation.AtMost, 0).Holds);
            Assert.False(Promise.Count("lost", missing, Relation.Exactly, 0).Holds);
            Assert.False(Promise.Latency("first item", missing, 100).Holds);
            Assert.False(Promise.Ratio("faster", Of(2, 2, 2), missing, Relation.AtLeast, 0).Holds);
            Assert.False(Promise.Ratio("smaller", missing, Of(2, 2, 2), Relation.AtMost, 9).Holds);
            Assert.Null(Promise.Ratio("smaller", missing, Relation.AtMost, 9).Value);
        }
    }

    private static Series Of(params double[] values) => Series.Of("case", values.Select(value => (double?)value));
}
