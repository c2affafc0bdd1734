using System.Text;
using Weir.IntegrationTests.Processes;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Pools;

public class PoolCallTests
{
    [Fact]
    public async Task A_call_starts_a_worker_and_comes_back_with_its_result()
    {
        await using var pool = ScriptedPool.Start();
        Assert.Empty(pool.Pool.Snapshot().Workers);
        Assert.Equal("hello there", await pool.DoAsync("hello there"));
        var worker = Assert.Single(pool.Pool.Snapshot().Workers);
        Assert.Equal("idle", worker.State);
        Assert.Equal(1, worker.CallsDone);
        Assert.Equal($"{worker.ProcessId}", await pool.DoAsync("pid"));
    }

    [Fact]
    public async Task The_minimum_starts_in_the_background()
    {
        await using var pool = ScriptedPool.Start(options => options.MinWorkers = 2);
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count(worker => worker.State == "idle") == 2));
    }

    [Fact]
    public async Task Concurrent_calls_all_end_and_never_exceed_the_maximum()
    {
        await using var pool = ScriptedPool.Start(options => options.QueueLimit = 1000);
        var calls = Enumerable.Range(0, 500).Select(i => pool.DoAsync($"answer {i}")).ToArray();
        var results = await Task.WhenAll(calls);
        Assert.Equal(Enumerable.Range(0, 500).Select(i => $"answer {i}"), results);
        Assert.InRange(pool.Pool.Snapshot().Workers.Count, 1, 2);
        Assert.Equal(500, pool.Pool.Snapshot().Workers.Sum(worker => worker.CallsDone));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4095)]
    [InlineData(4096)]
    [InlineData(300_000)]
    [InlineData(20_000_000)]
    public async Task Arguments_of_any_size_arrive_whole(int length)
    {
        await using var pool = ScriptedPool.Start();
        var bytes = new byte[7 + length];
        Encoding.ASCII.GetBytes("length ").CopyTo(bytes, 0);
        Assert.Equal($"{bytes.Length}", await pool.DoAsync(bytes));
    }

    [Fact]
    public async Task A_result_of_many_megabytes_arrives_whole()
    {
        await using var pool = ScriptedPool.Start();
        var result = await pool.DoAsync("big 20000000");
        Assert.Equal(20_000_000, result.Length);
    }

    [Fact]
    public async Task Arguments_above_the_limit_end_the_call_before_it_starts()
    {
        await using var pool = ScriptedPool.Start(options => options.PayloadLimitBytes = 10_000);
        var failure = await Assert.ThrowsAsync<PayloadTooLargeException>(() => pool.DoAsync(new byte[20_000]));
        Assert.Equal(WeirCodes.PayloadTooLarge, failure.Code);
        Assert.Contains("10000", failure.Message, StringComparison.Ordinal);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task A_result_above_the_limit_is_a_violation_of_a_worker_that_knows_the_limit()
    {
        await using var pool = ScriptedPool.Start(options => options.PayloadLimitBytes = 10_000);
        await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync("big 20000"));
    }

    [Fact]
    public async Task A_failure_is_carried_back()
    {
        await using var pool = ScriptedPool.Start();
        var failure = await Assert.ThrowsAsync<RemoteException>(() => pool.DoAsync("fail"));
        Assert.Equal("Some.Error", failure.TypeName);
        Assert.Equal("it went wrong", failure.Message);
        Assert.Equal("at Some.Place", failure.RemoteStackTrace);
        Assert.Equal("test", failure.Pool);
        Assert.Equal(Assert.Single(pool.Pids), failure.ProcessId);
    }

    [Fact]
    public async Task A_full_queue_rejects_over_HTTP_at_once_and_lets_code_wait()
    {
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.QueueLimit = 1;
        });
        using var hold = new HoldFile();

        // While the first call runs there is no capacity: a rejected call has not waited for it.
        var running = pool.DoAsync($"await {hold.Path}");
        var queued = pool.DoAsync("queued");
        var waiting = pool.DoAsync("waiting", new CallRequest { Admission = CallAdmission.Wait });
        var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.DoAsync("rejected"));
        Assert.False(running.IsCompleted);
        Assert.Equal(WeirCodes.QueueFull, failure.Code);
        Assert.Contains("QueueLimit (currently 1)", failure.Message, StringComparison.Ordinal);
        Assert.NotNull(failure.RetryAfter);
        Assert.Equal(1, pool.Pool.Snapshot().WaitingForCapacity);
        hold.Release();
        Assert.Equal(["awaited", "queued", "waiting"], await Task.WhenAll(running, queued, waiting));
    }

    [Fact]
    public async Task A_call_that_asks_for_a_free_worker_starts_one_or_is_rejected()
    {
        await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        using var hold = new HoldFile();
        var free = new CallRequest { Admission = CallAdmission.Free };
        var running = pool.DoAsync($"await {hold.Path}", free);
        var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.DoAsync("rejected", free));
        Assert.Equal(WeirCodes.QueueFull, failure.Code);
        Assert.Contains("MaxWorkers (currently 1)", failure.Message, StringComparison.Ordinal);
        var queued = pool.DoAsync("queued");
        hold.Release();
        Assert.Equal(["awaited", "queued"], await Task.WhenAll(running, queued));
        Assert.Equal("free again", await pool.DoAsync("free again", free));
    }

    [Fact]
    public async Task A_deadline_travels_and_is_enforced_by_the_host_too()
    {
        // The worker never answers, and is not killed for it: only the host can end the call.
        await using var pool = ScriptedPool.Start(options => options.CancelGrace = TimeSpan.FromHours(1));
        Assert.Equal("-1", await pool.DoAsync("remaining"));
        var remaining = int.Parse(await pool.DoAsync("remaining", new CallRequest { TimeLimit = TimeSpan.FromSeconds(9) }));
        Assert.InRange(remaining, 5000, 9000);

        var worker = Assert.Single(pool.Pids);
        try
        {
            await Assert.ThrowsAsync<DeadlineExceededException>(() => pool.DoAsync("forever", new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(100) }));
            Assert.Equal(worker, Assert.Single(pool.Pids));
        }
        finally
        {
            // It is not waited for.
            await pool.Pool.DrainAsync(new CancellationToken(canceled: true));
        }
    }

    [Fact]
    public async Task Idle_workers_go_after_the_timeout_and_the_minimum_stays()
    {
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MinWorkers = 1;
            options.MaxWorkers = 3;
            options.IdleTimeout = TimeSpan.FromMilliseconds(300);
        });
        using var hold = new HoldFile();
        var calls = Enumerable.Range(0, 3).Select(_ => pool.DoAsync($"await {hold.Path}")).ToArray();
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count(worker => worker.State == "busy") == 3));
        hold.Release();
        await Task.WhenAll(calls);
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count == 1));
        Assert.DoesNotContain(pool.Log.Records, record => record.Id.Id == 4304);
        Assert.Equal("still here", await pool.DoAsync("still here"));
    }

    [Fact]
    public async Task A_worker_that_does_not_end_is_killed()
    {
        await using var pool = ScriptedPool.Start(
            options =>
            {
                options.IdleTimeout = TimeSpan.FromMilliseconds(50);
                options.CancelGrace = TimeSpan.FromMilliseconds(100);
            },
            "ignores drain");
        await pool.DoAsync("one");
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count == 0));
        Assert.Contains(pool.Log.Records, record => record.Text.Contains("asked it to drain", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_a_worker_prints_and_logs_is_logged_with_its_pid_and_call()
    {
        await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        await pool.DoAsync("print");
        var tag = $"(worker {Assert.Single(pool.Pids)}, call 1 of Test/Do)";
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Count(record => record.Text.EndsWith(tag, StringComparison.Ordinal)) == 3, TimeSpan.FromSeconds(60)));
        Assert.Contains(pool.Log.Records, record => record is { Category: "Weir.Workers.test", Level: Microsoft.Extensions.Logging.LogLevel.Information } && record.Text.StartsWith("printed on stdout", StringComparison.Ordinal));
        Assert.Contains(pool.Log.Records, record => record is { Category: "Weir.Workers.test", Level: Microsoft.Extensions.Logging.LogLevel.Information } && record.Text.StartsWith("printed on stderr", StringComparison.Ordinal));
        Assert.Contains(pool.Log.Records, record => record is { Category: "My.Category", Id.Id: 42, Id.Name: "Named" });
    }

    [Fact]
    public async Task The_snapshot_says_what_is_applied()
    {
        await using var pool = ScriptedPool.Start(options => (options.MemoryLimitBytes, options.StandbyWorkers) = (256L << 20, 0));
        await pool.DoAsync("one");
        var snapshot = pool.Pool.Snapshot();
        Assert.Equal(("test", 0, 2, 20), (snapshot.Name, snapshot.MinWorkers, snapshot.MaxWorkers, snapshot.QueueLimit));
        Assert.Contains("memory 256 MB (RLIMIT_DATA)", snapshot.Isolation, StringComparison.Ordinal);
        var limits = File.ReadAllLines($"/proc/{Assert.Single(pool.Pids)}/limits");
        Assert.Contains("268435456", limits.Single(line => line.StartsWith("Max data size", StringComparison.Ordinal)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_does_not_live_in_the_context_of_the_call_that_wanted_it()
    {
        var context = new AsyncLocal<string>();
        var seen = new System.Collections.Concurrent.ConcurrentBag<string?>();
        await using var pool = ScriptedPool.Start(log: new RecordedLog { OnRecord = () => seen.Add(context.Value) });
        context.Value = "a request";
        await pool.DoAsync("print");
        Assert.True(await ProcFiles.EventuallyAsync(() => seen.Count >= 4, TimeSpan.FromSeconds(60)));
        Assert.DoesNotContain("a request", seen);
    }
}
