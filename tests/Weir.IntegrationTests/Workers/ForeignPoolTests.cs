using System.Security.Claims;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Watching;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>Pools of workers in another language, called like a local library through the proxy of an interface that no class serves.</summary>
public sealed class ForeignPoolTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Languages => ["Python", "Node", "Mono"];

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task Values_bytes_streams_and_failures_are_typed_on_both_sides(string language)
    {
        await using var pool = Start(language);
        var worker = pool.GetProxy<ICompliance>();

        Assert.Equal(42, await worker.Add(40, 2, Token));
        Assert.Null(await worker.Maybe(null, Token));
        Assert.Equal("水", await worker.Maybe("水", Token));
        Assert.Equal([(byte)'x', 3, 2, 1], await worker.Reverse("x", new byte[] { 1, 2, 3 }, Token));
        Assert.Equal(16, await worker.Sum([1, 2, 3], ct: Token));
        await worker.Nothing(Token);
        Assert.Equal(Enumerable.Range(0, 30_000), await worker.Count(30_000, Token).ToListAsync(Token));
        var failure = await Assert.ThrowsAsync<RemoteException>(async () => await worker.CountAndFail(3, Token).ToListAsync(Token));
        Assert.Equal("after 3", failure.Message);
        Assert.Equal("broken", (await Assert.ThrowsAsync<RemoteException>(async () => await worker.Fail("broken", Token))).Message);
        Assert.Equal(409, (await Assert.ThrowsAsync<OperationStatusException>(async () => await worker.Refuse(409, Token))).StatusCode);
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task Content_travels_in_both_directions_and_a_failure_never_ends_like_complete_content(string language)
    {
        await using var pool = Start(language);
        var worker = pool.GetProxy<ICompliance>();

        Assert.Equal($"a {Pattern.Expected(5_000_001).ToLowerInvariant()}", await worker.Upload("a", new Pattern(5_000_001, seekable: false), Token));
        await using (var download = await worker.Download(3_000_000, Token))
        {
            using var all = new MemoryStream();
            await download.CopyToAsync(all, Token);
            Assert.True(all.Length == 3_000_000 && all.ToArray().Index().All(static one => one.Item == (byte)one.Index));
        }

        await using (var echo = await worker.EchoContent(new Pattern(2_000_003, seekable: false), Token))
        {
            Assert.Equal(Pattern.Expected(2_000_003).ToLowerInvariant(), ComplianceWork.Digest(echo));
        }

        await using (var broken = await worker.DownloadAndFail(100_000, Token))
        {
            await Assert.ThrowsAsync<RemoteException>(async () => await broken.CopyToAsync(Stream.Null, Token));
        }

        await Assert.ThrowsAsync<IOException>(async () => await worker.Upload("a", new Pattern(500_000, seekable: false) { Fails = true }, Token));

        // A reader that leaves ends the call, and the worker serves the next one.
        await (await worker.EchoContent(new Pattern(0, seekable: false) { IsEndless = true }, Token)).DisposeAsync();
        Assert.Equal(42, await worker.Add(40, 2, Token));
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task The_caller_is_known_to_the_code_unless_the_pool_keeps_it_in_the_host(string language)
    {
        var ann = new ClaimsPrincipal(new ClaimsIdentity([new("name", "ann"), new("role", "admin"), new("tenant", "水")], "Bearer", "name", "role"));
        await using (var pool = Start(language))
        {
            var worker = pool.GetProxy<ICompliance>();
            Assert.Equal("ann|水|true|true", (await worker.WhoCalls(ann, Token)).ToLowerInvariant());
        }

        await using (var pool = Start(language, static options => options.SendsCaller = false))
        {
            Assert.Equal("no caller", await pool.GetProxy<ICompliance>().WhoCalls(ann, Token));
        }
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task What_the_workers_of_a_pool_share_is_read_as_it_is(string language)
    {
        var bytes = new byte[3_000_001];
        new Random(7).NextBytes(bytes);
        await using var pool = Start(language, options => options.AddSharedData("words", _ => new ValueTask<Stream>(new MemoryStream(bytes))));
        Assert.Equal(ComplianceWork.Digest(new MemoryStream(bytes)), await pool.GetProxy<ICompliance>().ReadShared("words", Token));
    }

    // Mono cannot say where another thread is.
    [Theory]
    [InlineData("Python", "in ignore")]
    [InlineData("Node", "compliance.js:")]
    [InlineData("Mono", null)]
    public async Task The_report_of_a_call_that_hung_says_where_it_was(string language, string? place)
    {
        var log = new RecordedLog();
        var reported = new TaskCompletionSource<CrashReport>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var pool = Start(
            language,
            options =>
            {
                // The machine of a test may be busy: 300 ms are for users.
                (options.CancelGrace, options.StackTime) = (TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));
                options.OnCrash = report => reported.TrySetResult(report);
            },
            log);
        await CancelIgnoredAsync(pool.GetProxy<ICompliance>(), log);
        var report = await reported.Task.WaitAsync(TimeSpan.FromSeconds(60), Token);
        if (place is null)
        {
            Assert.Null(report.Stack);
        }
        else
        {
            Assert.Contains(place, report.Stack, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("Python")]
    [InlineData("Node")]
    public async Task A_job_is_known_to_the_code_and_its_progress_to_the_host(string language)
    {
        await using var pool = Start(language);
        var reported = Channel.CreateUnbounded<JobProgress>();
        var job = new JobContext(Guid.NewGuid(), 2, 5, progress => reported.Writer.TryWrite(progress)) { Key = "k" };
        var worker = JobInvoker.Create<ICompliance>(pool, job);
        Assert.Equal($"{job.Id.ToString()[..4]} 2 5 k", await worker.Report(0, Token));

        // The first report may have been replaced by the second before it was sent.
        await CancelAsync(worker.ReportAndSpin, () => reported.Reader.TryRead(out var progress) && progress == new JobProgress(0.5, "spins"));
        Assert.Equal("direct", await pool.GetProxy<ICompliance>().Report(0, Token));
    }

    [Fact]
    public async Task A_worker_that_knows_no_jobs_runs_their_calls_all_the_same()
    {
        await using var pool = Start("Mono");
        Assert.Equal("direct", await JobInvoker.Create<ICompliance>(pool, new JobContext(Guid.NewGuid(), 1, 1)).Report(3, Token));
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task A_cancel_reaches_the_code_and_code_that_ignores_it_is_killed_after_the_grace(string language)
    {
        var launcher = new WatchedLauncher();
        var log = new RecordedLog();
        await using var pool = Start(language, options => (options.CancelGrace, options.Launcher) = (TimeSpan.FromSeconds(1), launcher), log);
        var worker = pool.GetProxy<ICompliance>();
        await worker.Nothing(Token);
        var pid = Assert.Single(pool.Snapshot().Workers).ProcessId;

        await CancelAsync(worker.Wait, () => launcher.Last.HasStarted(2));
        Assert.Equal(42, await worker.Add(40, 2, Token));
        Assert.Equal(pid, Assert.Single(pool.Snapshot().Workers).ProcessId);

        await CancelIgnoredAsync(worker, log);
        Assert.Equal(42, await worker.Add(40, 2, Token));
        Assert.False(ProcFiles.IsRunning(pid));
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task A_crash_takes_its_own_call_and_the_next_one_finds_another_worker(string language)
    {
        await using var pool = Start(language);
        var worker = pool.GetProxy<ICompliance>();
        var loss = await Assert.ThrowsAsync<WorkerLostException>(async () => await worker.Exit(7, Token));
        Assert.Equal((WeirCodes.WorkerLost, "exit code 7"), (loss.Code, loss.Cause));
        Assert.Equal(42, await worker.Add(40, 2, Token));
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task A_program_that_says_nothing_fails_its_start_and_the_calls_that_wait_for_it(string language)
    {
        string[] command = [Interpreters.Of(language)[0], "--version"];
        await using var pool = FreshPool.Start("foreign", options => (options.Command, options.RestartBudget) = (command, 1));
        var failure = await Assert.ThrowsAsync<WorkerLostException>(async () => await pool.GetProxy<ICompliance>().Nothing(Token));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("It ended before it was ready", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task A_crash_while_it_is_set_up_is_reported_with_its_exit_code(string language)
    {
        await using var pool = Start(language, static options =>
        {
            options.Configuration["start"] = "exit";
            options.RestartBudget = 1;
        });
        var failure = await Assert.ThrowsAsync<WorkerLostException>(async () => await pool.GetProxy<ICompliance>().Nothing(Token));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("exit code 5", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task A_death_while_it_is_idle_or_in_the_grace_fails_no_other_call(string language)
    {
        var log = new RecordedLog();
        await using var pool = Start(language, static options => options.CancelGrace = TimeSpan.FromSeconds(60), log);
        var worker = pool.GetProxy<ICompliance>();
        await worker.Nothing(Token);
        KillTheOne(pool);
        Assert.Equal(42, await worker.Add(40, 2, Token));

        await CancelIgnoredAsync(worker, log);
        var next = worker.Add(20, 1, Token);
        KillTheOne(pool);
        Assert.Equal(21, await next);
    }

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task What_it_prints_and_logs_is_in_the_hosts_log(string language)
    {
        var log = new RecordedLog();
        await using var pool = Start(language, log: log);
        await pool.GetProxy<ICompliance>().Print("heard", Token);
        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Count(static record => record.Text.Contains("heard", StringComparison.Ordinal)) >= 3, TimeSpan.FromSeconds(60)));
        Assert.Contains(log.Records, static record => record is { Category: "compliance", Level: LogLevel.Warning } && record.Text.StartsWith("logged heard", StringComparison.Ordinal));
        Assert.Contains(log.Records, static record => record is { Category: "Weir.Workers.foreign" } && record.Text.StartsWith("heard", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_program_that_is_not_installed_rejects_its_calls_and_says_what_to_install()
    {
        await using var pool = FreshPool.Start("foreign", static options => options.Command = ["no-such-language", "worker.x"]);
        var rejected = await Assert.ThrowsAsync<CallRejectedException>(async () => await pool.GetProxy<ICompliance>().Nothing(Token));
        Assert.Equal(WeirCodes.ProgramMissing, rejected.Code);
        Assert.Contains("apt-get install no-such-language", rejected.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/no/such/program", "exit code 127", "No such file")]
    [InlineData("/etc/passwd", "exit code 126", "Permission denied")]
    public async Task A_program_that_cannot_be_run_says_why(string program, string cause, string printed)
    {
        var log = new RecordedLog();
        await using var pool = FreshPool.Start("foreign", options => options.Command = [program], log);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(async () => await pool.GetProxy<ICompliance>().Nothing(Token));
        Assert.Contains(cause, failure.Message, StringComparison.Ordinal);
        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Any(record => record.Text.Contains(printed, StringComparison.Ordinal)), TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public async Task A_script_that_serves_something_else_is_named()
    {
        _ = Interpreters.Python;
        var script = Path.Combine(Path.GetTempPath(), $"weir-{Guid.NewGuid():N}.py");
        var folder = Path.Combine(Path.GetDirectoryName(Interpreters.PythonProgram)!, "../../workers/python");
        await File.WriteAllTextAsync(script, $"import sys\nsys.path.insert(0, '{folder}')\nfrom weir_worker import operation, run\n@operation('Compliance/Other')\ndef other(): pass\nrun()\n", Token);
        try
        {
            await using var pool = FreshPool.Start("foreign", options => options.Command = ["python3", script]);
            var failure = await Assert.ThrowsAsync<WorkerLostException>(async () => await pool.GetProxy<ICompliance>().Nothing(Token));
            Assert.Equal(WeirCodes.CatalogMismatch, failure.Code);
            Assert.Contains("does not serve Compliance/", failure.Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(script);
        }
    }

    [Fact]
    public async Task A_worker_that_says_it_knows_no_content_is_refused_where_an_operation_has_some()
    {
        await using var pool = ScriptedPool.Start(static options => (options.MinWorkers, options.RestartBudget) = (1, 1), operations: ScriptedService.Other.Operations);
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.Pool.WaitUntilReadyAsync(Token));
        Assert.Equal(WeirCodes.CatalogMismatch, failure.Code);
        Assert.Contains("It does not support content, but Other/Thing takes or returns a Stream", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_says_it_knows_no_shared_data_is_refused_where_its_pool_has_some()
    {
        await using (var without = ScriptedPool.Start(static options => options.MinWorkers = 1))
        {
            await without.Pool.WaitUntilReadyAsync(Token);
        }

        await using var pool = ScriptedPool.Start(static options =>
        {
            (options.MinWorkers, options.RestartBudget) = (1, 1);
            options.AddSharedData("names", static _ => new ValueTask<Stream>(new MemoryStream([1])));
        });
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.Pool.WaitUntilReadyAsync(Token));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("It does not support shared data, but SharedData of pool 'test' has names.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_pool_that_no_class_serves_needs_a_command()
    {
        var error = Assert.Throws<InvalidOperationException>(static () => FreshPool.Start("foreign"));
        Assert.Contains(WeirCodes.InvalidOptions, error.Message, StringComparison.Ordinal);
        Assert.Contains("Command", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_no_class_serves_stays_in_its_pool_where_the_rest_runs_inline()
    {
        _ = Interpreters.Python;
        await using var application = new Application(static options => options.RunInline = true);
        Assert.Equal("foreign", Assert.Single(application.Runtime.Pools).Name);
        Assert.Equal(42, await application.Get<ICompliance>().Add(40, 2, Token));
    }

    private static WorkerPool Start(string language, Action<PoolOptions>? configure = null, RecordedLog? log = null)
    {
        var command = Interpreters.Of(language);
        return FreshPool.Start(
            "foreign",
            options =>
            {
                options.Command = command;
                options.MaxWorkers = 1;
                configure?.Invoke(options);
            },
            log);
    }

    private static void KillTheOne(WorkerPool pool) =>
        Assert.Equal(0, Signals.Send(Assert.Single(pool.Snapshot().Workers).ProcessId, Signals.Kill));

    // A worker that sees the cancel after it has reported the start, and before the code runs, does not run the code. So the code says that it runs.
    private static Task CancelIgnoredAsync(ICompliance worker, RecordedLog log) => CancelAsync(
        ct => new ValueTask(worker.Ignore(100_000, ct).AsTask()),
        () => log.Records.Any(static record => record is { Category: "Weir.Workers.foreign" } && record.Text.StartsWith("ignoring", StringComparison.Ordinal)));

    private static async Task CancelAsync(Func<CancellationToken, ValueTask> call, Func<bool> isRunning)
    {
        using var leaving = new CancellationTokenSource();
        var running = call(leaving.Token).AsTask();
        Assert.True(await ProcFiles.EventuallyAsync(isRunning, TimeSpan.FromSeconds(60)));
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
    }
}
