using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class RunHeadTests
{
    [Theory]
    [InlineData("1", "sched_autogroup_enabled 1\n")]
    [InlineData(null, "sched_autogroup_enabled not recorded\n")]
    public void The_head_says_whether_priorities_count_beyond_a_session(string? recorded, string line)
    {
        var report = Some.Report();
        Assert.Contains(line, RunHead.Text(report with { Machine = report.Machine with { Autogroup = recorded } }), StringComparison.Ordinal);
    }
}
