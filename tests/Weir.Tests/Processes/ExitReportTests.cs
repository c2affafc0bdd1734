using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class ExitReportTests
{
    [Fact]
    public void The_report_has_the_exit_code_or_names_the_signal()
    {
        Assert.Equal("exit code 3", new ExitReport(3, null).ToString());
        Assert.Equal("signal 9 (SIGKILL)", new ExitReport(null, 9).ToString());
        Assert.Equal("signal 9 (SIGKILL) of the kernel's out-of-memory killer", new ExitReport(null, 9) { IsOutOfMemory = true }.ToString());
        Assert.Equal("signal 31 (SIGSYS)", new ExitReport(null, 31).ToString());
        Assert.Equal("signal 35 (SIGRTMIN+1)", new ExitReport(null, 35).ToString());
        Assert.Equal("unknown exit status", ExitReport.Unknown.ToString());
    }
}
