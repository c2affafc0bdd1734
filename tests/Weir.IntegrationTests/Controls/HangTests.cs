using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>What a worker did before it was killed because it hung.</summary>
public class HangTests
{
    // The machine of a test may be busy: 300 ms are for users.
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private readonly List<CrashReport> _reports = [];

    [Fact]
    public async Task The_report_names_the_method_that_hangs_and_nothing_is_left_in_memory_or_on_disk()
    {
        var before = Directory.GetFileSystemEntries(Path.GetTempPath());
        await using var pool = Start();
        var worker = await HangAsync(pool);
        var report = await ReportAsync();

        Assert.Equal(worker, report.ProcessId);
        Assert.NotNull(report.Stack);
        Assert.Contains("   at Weir.IntegrationTests.Services.Controlled.Hang(", report.Stack, StringComparison.Ordinal);
        Assert.DoesNotContain("Weir.Worker.", report.Stack, StringComparison.Ordinal);
        Assert.DoesNotContain("Weir.Generated.", report.Stack, StringComparison.Ordinal);
        Assert.Contains("Controlled.Hang(", report.ToString(), StringComparison.Ordinal);
        Assert.Null(report.DumpPath);

        // Of this process; other tests may have some of their own for a moment.
        Assert.True(await ProcFiles.EventuallyAsync(
            () => Directory.GetDirectories("/dev/shm", $"weir-stacks-{Environment.ProcessId}-*").Length == 0, TimeSpan.FromSeconds(60)));
        Assert.Empty(Directory.GetFileSystemEntries(Path.GetTempPath(), $"*{worker}*").Except(before));
    }

    [Fact]
    public async Task A_folder_of_dumps_keeps_the_newest()
    {
        var folder = Directory.CreateTempSubdirectory("weir-dumps-").FullName;
        try
        {
            await using var pool = Start(options => options.Dumps = new DumpOptions { Folder = folder, MaxCount = 2 });
            File.WriteAllText(Path.Combine(folder, "mine.txt"), "");
            for (var i = 1; i <= 3; i++)
            {
                await HangAsync(pool);
                var report = await ReportAsync(i);
                Assert.NotNull(report.DumpPath);
                Assert.True(new FileInfo(report.DumpPath).Length > 100_000);
            }

            Assert.Equal([.. _reports.Skip(1).Select(report => report.DumpPath).Order()], Directory.GetFiles(folder, "*.dmp").Order());
            Assert.True(File.Exists(Path.Combine(folder, "mine.txt")));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_worker_in_another_language_says_itself_where_its_call_is()
    {
        await using var pool = ScriptedPool.Start(Short, "shows stacks");
        await HangAsync(pool);
        Assert.Equal("  line 7 of call 1, in schlafen() — «übel»", (await ReportAsync()).Stack);
    }

    [Fact]
    public async Task A_worker_that_does_not_answer_is_killed_all_the_same()
    {
        await using var pool = ScriptedPool.Start(
            options =>
            {
                Short(options);
                options.StackTime = TimeSpan.FromMilliseconds(50);
            },
            "shows no stack");
        await HangAsync(pool);
        var report = await ReportAsync();
        Assert.Null(report.Stack);
        Assert.Contains("within the grace", report.Cause, StringComparison.Ordinal);
    }

    // A stall is a worker that should have started a call and gives no sign of life: no call runs in it.
    [Fact]
    public async Task The_report_of_a_worker_that_gives_no_sign_of_life_says_what_its_threads_did()
    {
        await using var pool = Start(static options => options.SilenceTimeout = TimeSpan.FromSeconds(1));
        var worker = await pool.AskAsync<int>("ProcessId");
        Assert.Equal(0, Signals.Send(worker, Signals.Stop));

        // The call moves to another worker.
        Assert.NotEqual(worker, await pool.AskAsync<int>("ProcessId"));
        var report = await ReportAsync();
        Assert.Equal(worker, report.ProcessId);

        // Where the machine is busy a thread of the runtime may be unreadable, which the text says instead.
        Assert.Contains("runs code of the application", report.Stack, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pool_that_is_stopped_does_not_wait_for_the_look_at_a_worker()
    {
        var log = new RecordedLog();
        var pool = ScriptedPool.Start(
            options =>
            {
                Short(options);
                options.StackTime = TimeSpan.FromHours(1);
            },
            "shows no stack",
            log);
        await HangAsync(pool);
        var worker = Assert.Single(pool.Pids);

        // The look has begun.
        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Any(static record => record.Text.Contains("asked for a stack", StringComparison.Ordinal)), TimeSpan.FromSeconds(60)));
        Assert.True(ProcFiles.IsRunning(worker));
        await pool.Pool.DrainAsync(new CancellationToken(canceled: true)).WithinAsync(60);
        Assert.False(ProcFiles.IsRunning(worker));
    }

    private static string Begun() => Path.Combine(Path.GetTempPath(), $"weir-{Guid.NewGuid():N}");

    private static async Task HangAsync(ScriptedPool pool)
    {
        var begun = Begun();
        using var leaving = new CancellationTokenSource();
        var call = pool.DoAsync($"forever {begun}", ScriptedPool.Until(leaving.Token));
        Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(begun), TimeSpan.FromSeconds(60)));
        File.Delete(begun);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
    }

    private static async Task<int> HangAsync(ControlledPool pool)
    {
        var worker = await pool.AskAsync<int>("ProcessId");
        using var leaving = new CancellationTokenSource();
        var begun = Begun();
        var call = pool.AskAsync<object>("Hang", $$"""{"path":"{{begun}}"}""", new CallRequest { CancellationToken = leaving.Token });
        Assert.True(await ProcFiles.EventuallyAsync(() => File.Exists(begun), TimeSpan.FromSeconds(60)));
        File.Delete(begun);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        return worker;
    }

    private ControlledPool Start(Action<PoolOptions>? configure = null) => new(options =>
    {
        Short(options);
        configure?.Invoke(options);
    });

    private void Short(PoolOptions options) => (options.OnCrash, options.CancelGrace, options.StackTime) = (Keep, TimeSpan.FromMilliseconds(50), Long);

    private void Keep(CrashReport report)
    {
        lock (_reports)
        {
            _reports.Add(report);
        }
    }

    private async Task<CrashReport> ReportAsync(int count = 1)
    {
        Assert.True(await ProcFiles.EventuallyAsync(() => Count() == count, TimeSpan.FromSeconds(60)), $"{Count()} reports");
        return _reports[^1];
    }

    private int Count()
    {
        lock (_reports)
        {
            return _reports.Count;
        }
    }
}
