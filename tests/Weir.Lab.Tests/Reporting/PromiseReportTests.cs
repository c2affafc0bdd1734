using Weir.Lab.Engine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class PromiseReportTests
{
    [Fact]
    public void A_ratio_carries_the_range_of_its_quotients_and_what_it_can_tell_apart()
    {
        var report = Ratio(2, 0.07, 4, 4.9, 5, 5.1, 5.76);
        Assert.Equal((5, 4, 5.76), (report.Value!.Value, report.Low!.Value, report.High!.Value));
        Assert.Equal((0.493478, 5), (Math.Round(report.Resolution!.Value, 6), report.Rounds));
        Assert.Equal("5 (4–5.76) ± 49.3 %", PromiseText.Measured(report));
        Assert.Equal("2.50 (1–4) ± over 100 %", PromiseText.Measured(Ratio(2, 0.07, 1, 4)));
    }

    [Fact]
    public void On_a_coarse_machine_no_ratio_can_tell_more_than_the_machine() => Assert.Equal(0.5, Ratio(2, 0.5, 4, 4.9, 5, 5.1, 5.76).Resolution);

    [Theory]
    [InlineData(2, false)]
    [InlineData(3.3, false)] // farther from the value than it can tell, and below every round
    [InlineData(4, true)]
    [InlineData(5.76, true)]
    [InlineData(5.9, true)] // above every round, but nearer to the value than it can tell
    [InlineData(7.6, false)]
    public void It_is_close_when_the_limit_lies_among_its_quotients_or_nearer_than_it_can_tell(double limit, bool close) =>
        Assert.Equal(close, Ratio(limit, 0.07, 4, 4.9, 5, 5.1, 5.76).Close);

    [Fact]
    public void A_count_never_is_close_and_shows_its_worst_round_first()
    {
        var report = PromiseReport.Of(Promise.Count("lost", Series.Of("case", 0, 1, 0), Relation.AtMost, 0), 0.07);
        Assert.False(report.Close);
        Assert.Null(report.Resolution);
        Assert.Equal("1 (0–1)", PromiseText.Measured(report));
    }

    [Fact]
    public void A_latency_is_close_when_its_rounds_fell_on_both_sides()
    {
        Assert.True(Latency(20, 24, 26).Close);
        Assert.False(Latency(20, 24, 25).Close);
        Assert.False(Latency(26, 27, 28).Close);
    }

    [Fact]
    public void What_was_not_measured_says_so()
    {
        var report = PromiseReport.Of(Promise.Ratio("faster", Series.None, Relation.AtLeast, 2), 0.07);
        Assert.Equal("not measured", PromiseText.Measured(report));
        Assert.Null(report.Resolution);
        Assert.False(report.Close);
    }

    private static PromiseReport Ratio(double limit, double machine, params double[] quotients) =>
        PromiseReport.Of(Promise.Ratio("faster", Series.Of("case", quotients.Select(value => (double?)value)), Relation.AtLeast, limit), machine);

    private static PromiseReport Latency(params double[] rounds) =>
        PromiseReport.Of(Promise.Latency("first item", Series.Of("case", rounds.Select(value => (double?)value)), 25), 0.07);
}
