using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class SeriesTests
{
    [Fact]
    public void Rounds_of_one_case_are_divided_by_their_neighbours() =>
        Assert.Equal(new Summary(2, 1, 4), Series.Of("case", 8, 2, 3).Over(Series.Of("case", 2, 1, 3)).Summary);

    [Fact]
    public void Rounds_of_different_cases_have_no_neighbours_and_all_meet_all() =>
        Assert.Equal(new Summary(3, 1, 8), Series.Of("one", 4, 8).Over(Series.Of("other", 1, 2, 4)).Summary);

    [Fact]
    public void A_given_figure_stands_beside_every_round()
    {
        Assert.Equal(new Summary(0.5, 0.4, 0.6), Series.Of("case", 4, 6).Over(Series.Given(10)).Summary);
        Assert.Equal(new Summary(2, 2, 2), Series.Given(10).Over(Series.Of("case", 5, 5)).Summary);
    }

    [Fact]
    public void Nothing_is_divided_by_zero() => Assert.False(Series.Of("case", 1, 1).Over(Series.Of("case", 1, 0)).IsMeasured);

    [Fact]
    public void Zero_is_a_quotient_and_less_is_none()
    {
        Assert.Equal(new Summary(0, 0, 0), Series.Of("case", 0, 0).Over(Series.Of("case", 1, 2)).Summary);
        Assert.False(Series.Of("case", -1).Over(Series.Of("case", 1)).IsMeasured);
    }

    [Fact]
    public void Sums_and_differences_are_those_of_each_round()
    {
        Assert.Equal(3, (Series.Of("case", 1, 2) + Series.Of("case", 1, 1)).Worst(Relation.AtMost, 0));
        Assert.Equal(-1, (Series.Of("case", 1, 5) - Series.Of("case", 2, 1)).Worst(Relation.AtLeast, 0));
        Assert.False((Series.Of("case", 1, null) + Series.Of("case", 1, 1)).IsMeasured);
    }

    [Fact]
    public void Sums_over_cases_are_refused() => Assert.Throws<ArgumentException>(() => Series.Of("one", 1) + Series.Of("other", 1));

    [Fact]
    public void A_row_that_was_not_measured_by_rounds_is_given()
    {
        var row = Row.Fixed("floor", "case", "rate", 5, "1/s");
        Assert.Equal(new Summary(2, 2, 2), Series.Of("case", 10, 10).Over(Series.Of(row)).Summary);
        Assert.Equal(new Summary(2, 1, 3), Series.Of(row with { Rounds = [1, 2, 3] }).Summary);
    }
}
