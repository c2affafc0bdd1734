using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>Workers that serve one channel: everything travels on it, one call at a time, and they hear between calls only.</summary>
public sealed class OneChannelTests
{
    private const string OneChannel = "one channel";

    [Fact]
    public async Task Calls_come_back_and_never_run_two_at_a_time_in_a_worker()
    {
        await using var pool = ScriptedPool.Start(options => options.QueueLimit = 1000, OneChannel);
        var calls = Enumerable.Range(0, 300).Select(i => pool.DoAsync($"answer {i}")).ToArray();
        Assert.Equal(Enumerable.Range(0, 300).Select(i => $"answer {i}"), await Task.WhenAll(calls));
        var bytes = new byte[3_000_000];
        "length "u8.CopyTo(bytes);
        Assert.Equal($"{bytes.Length}", await pool.DoAsync(bytes));
        Assert.Equal(2_000_000, (await pool.DoAsync("big 2000000")).Length);
    }

    [Fact]
    public async Task Records_and_lines_are_heard_also_those_right_behind_READY()
    {
        await using var pool = ScriptedPool.Start(start: OneChannel);
        await pool.DoAsync("print");
        foreach (var text in new[] { "behind READY", "logged", "printed on stdout" })
        {
            Assert.True(await ProcFiles.EventuallyAsync(() => pool.Log.Records.Any(record => record.Text.StartsWith(text, StringComparison.Ordinal)), TimeSpan.FromSeconds(5)), text);
        }
    }

    [Fact]
    public async Task A_stream_has_its_credit_on_the_same_channel()
    {
        await using var pool = ScriptedPool.Start(start: OneChannel);
        var items = await pool.StreamAsync("items 3000 1000");
        Assert.Equal(3000, items.Count);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task A_cancel_is_heard_between_calls_and_a_worker_that_does_not_end_is_killed()
    {
        await using var pool = ScriptedPool.Start(
            options =>
            {
                options.MaxWorkers = 1;
                options.CancelGrace = TimeSpan.FromSeconds(1);
            },
            OneChannel);
        var pid = await pool.DoAsync("pid");
        await CancelAsync("sleep 300");
        Assert.Equal(pid, await pool.DoAsync("pid"));
        await CancelAsync("forever");
        Assert.NotEqual(pid, await pool.DoAsync("pid"));

        async Task CancelAsync(string script)
        {
            using var leaving = new CancellationTokenSource();
            var call = pool.DoAsync(script, ScriptedPool.Until(leaving.Token));
            await Task.Delay(TimeSpan.FromMilliseconds(100), TimeProvider.System, TestContext.Current.CancellationToken);
            await leaving.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        }
    }

    [Theory]
    [InlineData("signal 9", "signal 9 (SIGKILL)")]
    [InlineData("exit 3", "exit code 3")]
    public async Task A_crash_takes_its_own_call(string script, string cause)
    {
        await using var pool = ScriptedPool.Start(start: OneChannel);
        var loss = await Assert.ThrowsAsync<WorkerLostException>(() => pool.DoAsync(script));
        Assert.Equal((WeirCodes.WorkerLost, cause), (loss.Code, loss.Cause));
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task What_breaks_the_protocol_is_named()
    {
        await using var pool = ScriptedPool.Start(start: OneChannel);
        var violation = await Assert.ThrowsAsync<ProtocolViolationException>(() => pool.DoAsync("malformed type"));
        Assert.Contains("UnknownType", violation.Message, StringComparison.Ordinal);
        Assert.Equal("after", await pool.DoAsync("after"));
    }

    [Fact]
    public async Task It_drains_and_says_goodbye()
    {
        await using var pool = ScriptedPool.Start(options => options.IdleTimeout = TimeSpan.FromMilliseconds(100), OneChannel);
        await pool.DoAsync("one");
        Assert.True(await pool.SettlesAsync(now => now.Workers.Count == 0));
        Assert.DoesNotContain(pool.Log.Records, record => record.Id.Id == 4304);
        Assert.Equal("again", await pool.DoAsync("again"));
    }
}
