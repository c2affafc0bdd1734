namespace Weir.Tests.Processes;

public class CrashReportTests
{
    [Fact]
    public void A_report_is_formatted_as_one_text()
    {
        var report = Report("one line", new CrashReportCall(7, "Hasher/Hash", "failed", TimeSpan.FromMilliseconds(40)), new CrashReportCall(8, "Hasher/Hash", "running", TimeSpan.FromMilliseconds(12)), new CrashReportCall(9, "Hasher/Hash", "not started", TimeSpan.Zero));
        Assert.Equal(
            "Crash report hashing-4711-3: generation 2, phase 'call', 1.5 s old, nice 10, oom score 500. "
            + "Its last calls: #7 Hasher/Hash failed 40 ms before; #8 Hasher/Hash running for 12 ms; #9 Hasher/Hash not started. Its last output: one line",
            report.ToString());
    }

    [Fact]
    public void Missing_information_is_stated()
    {
        var text = Report("").ToString();
        Assert.EndsWith("It had no calls. It printed nothing.", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_text_has_beginning_and_end_of_a_long_output()
    {
        var text = Report("the beginning" + new string('-', 60_000) + "the end").ToString();
        Assert.InRange(text.Length, 3000, 3400);
        Assert.Contains("Its last output: the beginning---", text, StringComparison.Ordinal);
        Assert.EndsWith("---the end", text, StringComparison.Ordinal);
    }

    private static CrashReport Report(string output, params CrashReportCall[] calls) => new()
    {
        Id = "hashing-4711-3",
        Pool = "hashing",
        ProcessId = 4711,
        Generation = 2,
        At = DateTimeOffset.UnixEpoch,
        Phase = "call",
        Cause = "exit code 3",
        Age = TimeSpan.FromSeconds(1.5),
        CallsDone = 7,
        Calls = calls,
        Output = output,
        Limits = AppliedLimits.None with { Nice = 10, OomScoreAdjustment = 500 },
    };
}
