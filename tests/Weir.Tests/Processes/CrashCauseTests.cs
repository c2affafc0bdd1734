using System.Text;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Workers;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Processes;

public class CrashCauseTests
{
    private static readonly ExitReport Aborted = new(null, 6);

    [Theory]
    [InlineData("Stack overflow.", "stack overflow (signal 6 (SIGABRT))")]
    [InlineData("Out of memory.", "out of memory (signal 6 (SIGABRT))")]
    [InlineData("Unhandled exception. System.FormatException: bad", "unhandled exception: System.FormatException (signal 6 (SIGABRT))")]
    [InlineData("Unhandled exception. System.OutOfMemoryException: Insufficient memory", "out of memory (signal 6 (SIGABRT))")]
    [InlineData("Process terminated. on purpose", "it ended itself (FailFast) (signal 6 (SIGABRT))")]
    [InlineData("Process terminated.\non purpose", "it ended itself (FailFast) (signal 6 (SIGABRT))")]
    [InlineData("some other line", "signal 6 (SIGABRT)")]
    public void An_abort_is_explained_by_what_the_runtime_printed(string printed, string cause)
    {
        var words = new FatalErrorLine(new RecordedLines());
        foreach (var line in printed.Split('\n'))
        {
            words.OnLine(OutputStream.Error, Encoding.UTF8.GetBytes(line), cut: false);
        }

        words.OnLine(OutputStream.Error, "   at Some.Where()"u8, cut: false);
        Assert.Equal(cause, CrashCause.Describe(Aborted, words.Line, KillReason.None, null));
    }

    [Fact]
    public void Printed_output_explains_only_an_abort()
    {
        Assert.Equal("signal 9 (SIGKILL)", CrashCause.Describe(new ExitReport(null, 9), "Stack overflow.", KillReason.None, null));
        Assert.Equal("out of memory (signal 9 (SIGKILL) of the kernel's out-of-memory killer)", CrashCause.Describe(new ExitReport(null, 9) { IsOutOfMemory = true }, null, KillReason.None, null));
        Assert.Equal("exit code 3", CrashCause.Describe(new ExitReport(3, null), "Out of memory.", KillReason.None, null));
    }

    [Fact]
    public void A_kill_by_the_host_gives_its_reason() =>
        Assert.Contains("within the grace", CrashCause.Describe(new ExitReport(null, 9), null, KillReason.IgnoredCancel, null), StringComparison.Ordinal);

    [Fact]
    public void A_cause_that_the_worker_reported_last_is_used()
    {
        Assert.Equal("out of memory (exit code 4)", CrashCause.Describe(new ExitReport(4, null), null, KillReason.None, new ByePayload(ByeReason.OutOfMemory, "")));
        Assert.Equal("drained (exit code 0)", CrashCause.Describe(new ExitReport(0, null), null, KillReason.None, new ByePayload(ByeReason.Drained, "")));
        Assert.Contains("SequenceGap", CrashCause.Describe(new ExitReport(2, null), null, KillReason.None, new ByePayload(ByeReason.ProtocolViolation, "SequenceGap: x")), StringComparison.Ordinal);
    }

    [Fact]
    public void A_long_name_is_cut() =>
        Assert.InRange(CrashCause.Describe(Aborted, "Unhandled exception. " + new string('x', 10_000), KillReason.None, null).Length, 300, 400);
}
