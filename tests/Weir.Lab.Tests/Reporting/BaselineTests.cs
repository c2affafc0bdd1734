using Weir.Lab.Engine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class BaselineTests
{
    [Fact]
    public void A_rate_is_set_against_the_highest_other_and_the_floor()
    {
        var line = Assert.Single(Of(Row("weir", "rate", 50, "1/s"), Row("a", "rate", 100, "1/s"), Row("b", "rate", 20, "1/s"), Row("floor", "rate", 200, "1/s"), Row("document pool", "rate", 1000, "1/s")));
        Assert.Equal(("a", 0.5, 0.25), (line.Best!.Contender, line.ToBest, line.ToFloor));
    }

    [Fact]
    public void A_time_is_set_against_the_shortest() =>
        Assert.Equal("b", Assert.Single(Of(Row("weir", "p50", 5, "ms"), Row("a", "p50", 9, "ms"), Row("b", "p50", 2, "ms"))).Best!.Contender);

    [Fact]
    public void Counts_and_those_who_stand_alone_are_left_out() =>
        Assert.Empty(Of(Row("weir", "lost", 0, ""), Row("a", "lost", 1, ""), Row("weir", "alone", 1, "ms")));

    private static Row Row(string contender, string metric, double value, string unit) => Weir.Lab.Engine.Row.Fixed(contender, "case", metric, value, unit);

    private static Baseline.Line[] Of(params Row[] rows) => [.. Baseline.Of(Some.Report().Experiments[0] with { Rows = rows })];
}
