using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>What is known of a worker that was lost: with the pool's owner, in the log, and its id with the caller.</summary>
public class CrashReportTests
{
    private readonly List<CrashReport> _reports = [];

    [Fact]
    public async Task A_worker_that_dies_in_a_call_leaves_cause_calls_output_and_limits()
    {
        await using var pool = Start();
        for (var i = 0; i < 10; i++)
        {
            await pool.AskAsync<int>("ProcessId");
        }

        var worker = await pool.AskAsync<int>("ProcessId");
        await pool.AskAsync<int>("Print", """{"length":80000,"words":"its last words"}""");
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<object>("Crash"));
        var report = await ReportAsync();

        Assert.Equal((failure.ReportId, failure.Cause), (report.Id, report.Cause));
        Assert.Equal(("controlled", worker, 0, "call"), (report.Pool, report.ProcessId, report.Generation, report.Phase));
        Assert.Contains("FailFast", report.Cause, StringComparison.Ordinal);
        Assert.Equal((6, null, 12), (report.Signal, report.ExitCode, report.CallsDone));
        Assert.InRange(report.Age, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));

        // The last eight that had an answer, and the one that had none.
        Assert.Equal(Enumerable.Range(5, 9), report.Calls.Select(call => (int)call.Id));
        Assert.All(report.Calls.Take(7), call => Assert.Equal(("Controlled/ProcessId", "answered"), (call.Operation, call.State)));
        Assert.Equal(("Controlled/Print", "answered"), (report.Calls[7].Operation, report.Calls[7].State));
        Assert.Equal(("Controlled/Crash", "running"), (report.Calls[8].Operation, report.Calls[8].State));

        // The first 16 KB are gone.
        Assert.InRange(report.Output.Length, 60_000, 64 << 10);
        Assert.Contains("---its last words", report.Output, StringComparison.Ordinal);
        Assert.Contains("as asked", report.Output, StringComparison.Ordinal);
        Assert.NotNull(report.Limits.Nice);
        Assert.Contains($"Crash report {report.Id}: generation 0, phase 'call'", report.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_could_not_start_says_in_which_phase()
    {
        await using var pool = Start(options => options.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here");
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<int>("ProcessId"));
        var report = await ReportAsync();
        Assert.Equal((failure.ReportId, failure.ProcessId), (report.Id, report.ProcessId));
        Assert.Equal("start: warm up Weir.IntegrationTests.Services.Controlled", report.Phase);
        Assert.Contains("no model here", report.Cause, StringComparison.Ordinal);
        Assert.Empty(report.Calls);
    }

    [Fact]
    public async Task A_program_that_cannot_be_run_has_a_report_too()
    {
        await using var pool = ScriptedPool.Start(options => options.OnCrash = Keep, program: "/no/such/program");
        await Assert.ThrowsAsync<CallRejectedException>(() => pool.DoAsync("anything"));
        var report = await ReportAsync();
        Assert.Equal((0, "start: spawn"), (report.ProcessId, report.Phase));
        Assert.Contains("/no/such/program", report.Cause, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_the_host_killed_says_why()
    {
        await using var pool = Start(options => options.CancelGrace = TimeSpan.FromMilliseconds(50));
        using var leaving = new CancellationTokenSource();
        var begun = Path.Combine(Path.GetTempPath(), $"weir-{Guid.NewGuid():N}");
        var call = pool.AskAsync<double>("BurnSeen", $$"""{"path":"{{begun}}","milliseconds":60000}""", new CallRequest { CancellationToken = leaving.Token });

        // One that was not started would only be dropped.
        Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(begun), TimeSpan.FromSeconds(60)));
        File.Delete(begun);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        var report = await ReportAsync();
        Assert.Equal(("call", 9), (report.Phase, report.Signal));
        Assert.Contains("within the grace", report.Cause, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_is_drained_is_no_crash()
    {
        await using (var pool = Start(options => options.MaxCallsPerWorker = 1))
        {
            Assert.NotEqual(await pool.AskAsync<int>("ProcessId"), await pool.AskAsync<int>("ProcessId"));
        }

        Assert.Empty(_reports);
    }

    [Fact]
    public async Task The_log_has_every_report_also_where_its_reader_throws()
    {
        await using var pool = ScriptedPool.Start(options => options.OnCrash = _ => throw new NotSupportedException("of the reader's own"));
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync("close"));
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Any(record => record.Id.Id == 4309), TimeSpan.FromSeconds(60)));
        var lost = Assert.Single(pool.Log.Records, record => record.Id.Id == 4304);
        Assert.Contains($"Crash report {failure.ReportId}", lost.Text, StringComparison.Ordinal);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    private ControlledPool Start(Action<PoolOptions>? configure = null) => new(options =>
    {
        options.OnCrash = Keep;
        configure?.Invoke(options);
    });

    private void Keep(CrashReport report)
    {
        lock (_reports)
        {
            _reports.Add(report);
        }
    }

    // It comes soon after the calls have failed.
    private async Task<CrashReport> ReportAsync()
    {
        Assert.True(await ProcFiles.EventuallyAsync(() => Count() == 1, TimeSpan.FromSeconds(60)), $"{Count()} reports");
        return _reports[0];
    }

    private int Count()
    {
        lock (_reports)
        {
            return _reports.Count;
        }
    }
}
