using Weir.Lab.Engine;
using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class MarkdownReportTests
{
    private static readonly string Page = MarkdownReport.Text(Some.ReportOf([1.5, 1.9, 1.99, 2.1, 2.5], rate: 100.4), "A run");

    [Theory]
    [InlineData("# A run")]
    [InlineData("lab run pool-chaos")]
    [InlineData("| pool-chaos | 0 lost | 0 | &lt;= 0 | holds |")]
    [InlineData("| pool-chaos | twice as fast | 1.99 (1.50–2.50) ± 75.4 % | >= 2 | **does not hold** ≈ |")]
    [InlineData("| Case | Contender | calls/s |")]
    [InlineData("| 1 KB | weir | 100 (1–200) |")]
    [InlineData("|  | document | 5 |")]
    [InlineData("- quick leaves out what takes long")]
    [InlineData("- missing ruby: apt-get install ruby")]
    [InlineData("- later weir node: foreign workers")]
    [InlineData("- failed pool (1 KB): `it broke`")]
    public void A_page_says(string line) => Assert.Contains(line, Page, StringComparison.Ordinal);

    [Fact]
    public void A_timeline_is_a_chart_of_who_is_there() =>
        Assert.Equal(
            "   0.0 s  ██ burst\n   3.0 s  █\n   5.0 s  – stop\n",
            TimelineChart.Text(
            [
                new TimelineEvent(0.01, "burst", 10), new TimelineEvent(0.02, "started", 1), new TimelineEvent(0.05, "started", 2),
                new TimelineEvent(3.01, "ended", 1), new TimelineEvent(5, "stop", 0), new TimelineEvent(5.01, "ended", 2),
            ]));

    [Fact]
    public void Cases_without_a_metric_in_common_stand_in_tables_of_their_own()
    {
        Row[] rows = [Row.Fixed("a", "one", "x", 1, ""), Row.Fixed("a", "two", "x", 1, ""), Row.Fixed("a", "three", "y", 1, "")];
        Assert.Equal([["one", "two"], ["three"]], Pivot.Split(rows).Select(pivot => pivot.Lines.Select(line => line.Case)));
    }
}
