using System.Text.Json;
using Weir.Cli.Jobs;

namespace Weir.Cli.Tests.Jobs;

/// <summary>The line of a terminal is never wider than it, and what matters most is left out last.</summary>
public sealed class JobBarTests
{
    private static readonly JobView Job = new(Guid.Empty, "Svc/A", "running") { Attempt = 2, Attempts = 5, Fraction = 0.4, ProgressText = "page 4 of 10", Items = 41 };

    [Theory]
    [InlineData(200, "████████░░░░░░░░░░░░   40 %  running  attempt 2 of 5  page 4 of 10  41 items  12 s")]
    [InlineData(60, "████████░░░░░░░░░░░░   40 %  running  page 4 of 10  41 items")]
    [InlineData(59, "████████░░░░░░░░░░░░   40 %  page 4 of 10  41 items")]
    [InlineData(30, "████████░░░░░░░░░░░░   40 %")]
    [InlineData(10, " 40 %")]
    [InlineData(2, " 4")]
    public void It_fits(int width, string expected) => Assert.Equal(expected, JobBar.Line(Job, null, TimeSpan.FromSeconds(12), isUnicode: true, width));

    [Fact]
    public void Without_a_fraction_it_has_the_state_and_without_unicode_the_bar_is_of_ASCII()
    {
        Assert.Equal("scheduled  2 s", JobBar.Line(new JobView(Guid.Empty, "Svc/A", "scheduled"), null, TimeSpan.FromSeconds(2), isUnicode: true, 80));
        Assert.Equal("[####################]  100 %  running  0 s", JobBar.Line(new JobView(Guid.Empty, "Svc/A", "running") { Fraction = 7 }, null, TimeSpan.Zero, isUnicode: false, 80));
        Assert.Equal("\\u001b[31m  0 s", JobBar.Line(new JobView(Guid.Empty, "Svc/A", "\u001b[31m"), null, TimeSpan.Zero, isUnicode: true, 80));
        Assert.Equal("running  0 s  away", JobBar.Line(new JobView(Guid.Empty, "Svc/A", "running"), "away", TimeSpan.Zero, isUnicode: false, 80));
    }

    [Theory]
    [InlineData("0.999", 99)]
    [InlineData("1", 100)]
    [InlineData("-1", 0)]
    [InlineData("1e999", null)]
    [InlineData("\"x\"", null)]
    public void A_fraction_is_a_percentage_that_is_complete_only_at_the_end(string fraction, int? percent)
    {
        var job = JobView.Read(JsonElement.Parse($$$"""{"id":"{{{Guid.NewGuid()}}}","kind":"a","state":"running","progress":{"fraction":{{{fraction}}}}}"""))!;
        Assert.Equal(percent, job.Percent);
    }
}
