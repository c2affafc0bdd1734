using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>The exception of a call whose worker was lost, the worker's crash report and the log agree with each other and with what happened.</summary>
public sealed class LossReportTests
{
    private const double Soon = 30;
    private const int LongCall = 100;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Ways => ["exit", "exit 0", "_exit", "fail fast", "unhandled", "overflow", "out of memory", "segv", "9"];

    public static TheoryData<string, int, int> Losses
    {
        get
        {
            var losses = new TheoryData<string, int, int>();
            foreach (var how in Ways.Select(static row => row.Data))
            {
                // At once, before the host has noticed that it runs, and after a while; the first call of its worker, and the third.
                losses.Add(how, 0, 0);
                losses.Add(how, 2, LongCall);
            }

            return losses;
        }
    }

    [Theory, Trait("Kind", "Long")]
    [MemberData(nameof(Ways))]
    public Task A_worker_that_is_lost_at_once_in_its_third_call_has_one_report_too(string how) =>
        A_lost_worker_has_one_report_with_the_true_running_time_of_its_call(how, callsBefore: 2, ranFor: 0);

    [Theory]
    [MemberData(nameof(Losses))]
    public async Task A_lost_worker_has_one_report_with_the_true_running_time_of_its_call(string how, int callsBefore, int ranFor)
    {
        var reported = new TaskCompletionSource<CrashReport>(TaskCreationOptions.RunContinuationsAsynchronously);
        var witness = Path.GetTempFileName();
        using var log = new RecordedLog();
        await using var pool = FreshPool.Start(
            "misbehaviour",
            options =>
            {
                options.MinWorkers = options.MaxWorkers = 1;
                options.OnCrash = crash => reported.TrySetResult(crash);
            },
            log);
        var hostile = pool.GetProxy<IHostileClient>();

        // 1. A pool that is older than the call, and calls before it that took long.
        await pool.WaitUntilReadyAsync(Token).WithinAsync(Soon);
        for (var i = 0; i < callsBefore; i++)
        {
            await pool.GetProxy<IMisbehaviourClient>().Sleep(LongCall, Token).AsTask().WithinAsync(Soon);
        }

        // 2. The call that ends the worker.
        var began = TimeProvider.System.GetTimestamp();
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => hostile.Die(witness, how, ranFor, Token).AsTask().WithinAsync(Soon));
        var took = TimeProvider.System.GetElapsedTime(began);
        var report = await reported.Task.WithinAsync(Soon);
        File.Delete(witness);

        // 3. One report, under the id that the caller's exception has.
        Assert.Equal((report.Id, report.ProcessId), (failure.ReportId, failure.ProcessId));
        var lost = Assert.Single(log.Records, static record => record.Id.Id == 4304);
        Assert.Contains($"Crash report {failure.ReportId}:", lost.Text, StringComparison.Ordinal);
        Assert.Equal((LogLevel.Error, failure.ReportId), (lost.Level, lost.Fields["ReportId"]));
        if (how is "fail fast" or "unhandled")
        {
            Assert.Contains("   at Weir.IntegrationTests.Services.Hostile.", lost.Text, StringComparison.Ordinal);
            Assert.DoesNotContain("Weir.Worker.", lost.Text, StringComparison.Ordinal);
        }

        // 4. What it says of the call.
        Assert.Equal("call", report.Phase);
        var call = Assert.Single(report.Calls, static call => call.State == "running");
        Assert.Equal("Hostile/Die", call.Operation);
        Assert.InRange(call.Before, TimeSpan.FromMilliseconds(Math.Max(0, ranFor - 1)), took);
        Assert.Equal(callsBefore, report.Calls.Count(static call => call.State == "answered"));
    }

    [Fact]
    public async Task The_log_says_when_the_producer_in_a_worker_stopped_after_its_caller_left()
    {
        const int StopsAfter = 300;
        using var log = new RecordedLog();
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MaxWorkers = 1, log);
        await foreach (var _ in pool.GetProxy<IHostileClient>().SlowToStop(StopsAfter, Token))
        {
            break;
        }

        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Any(static record => record.Id.Id == 4315), TimeSpan.FromSeconds(Soon)));
        var stopped = Assert.Single(log.Records, static record => record.Id.Id == 4315);
        var worker = Assert.Single(pool.Snapshot().Workers).ProcessId;
        Assert.Matches($@"^Hostile/SlowToStop: its producer in worker {worker} of pool misbehaviour stopped \d+\.\d ms after the caller cancelled or disconnected\.$", stopped.Text);
        var milliseconds = double.Parse(stopped.Text.Split("stopped ")[1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(milliseconds, StopsAfter - 1, Soon * 1000);
    }
}
