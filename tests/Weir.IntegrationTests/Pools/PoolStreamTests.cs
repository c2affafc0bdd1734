using Xunit;

namespace Weir.IntegrationTests.Pools;

public class PoolStreamTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(10_000, 0)]
    [InlineData(1_000, 3_000)]
    [InlineData(3, 2_000_000)]
    public async Task Items_arrive_in_order_and_end(int count, int size)
    {
        await using var pool = ScriptedPool.Start();
        var items = await pool.StreamAsync($"items {count} {size}");
        Assert.Equal(count, items.Count);
        for (var i = 0; i < count; i++)
        {
            Assert.Equal(i.ToString().Length + size, items[i].Length);
            Assert.StartsWith($"{i}", items[i], StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("die", typeof(WorkerLostException))]
    [InlineData("fail", typeof(RemoteException))]
    public async Task Items_before_a_failure_are_delivered_and_then_the_failure(string then, Type type)
    {
        await using var pool = ScriptedPool.Start();
        var failure = await Assert.ThrowsAsync(type, () => pool.StreamAsync($"items 100 0 {then}"));
        Assert.Equal(100, ((List<string>)failure.Data["items"]!).Count);
    }

    [Fact]
    public async Task A_worker_that_sends_more_than_its_credit_breaks_the_protocol()
    {
        var ended = new TaskCompletionSource();
        await using var pool = ScriptedPool.Start(options => options.OnCrash = _ => ended.TrySetResult());
        var failing = pool.StreamAsync("items 1000 2000 overspend", _ => ended.Task);
        await Assert.ThrowsAsync<ProtocolViolationException>(() => failing);
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_frees_its_worker_after_the_timeout()
    {
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.StallTimeout = TimeSpan.FromMilliseconds(400);
        });
        var reading = new TaskCompletionSource();
        var stalled = pool.StreamAsync("items 100000 1000", item => item == 3 ? reading.Task : Task.CompletedTask);
        Assert.Equal("next", await pool.DoAsync("next"));
        reading.SetResult();
        var failure = await Assert.ThrowsAsync<ReaderStalledException>(() => stalled);
        Assert.Equal(WeirCodes.ReaderStalled, failure.Code);

        // The worker is free before the reader gets the failure: what waited in the window may still have been taken.
        Assert.InRange(((List<string>)failure.Data["items"]!).Count, 3, 3 + (256 * 1024 / 1000));
    }

    [Fact]
    public async Task A_slow_reader_that_continues_is_not_cut_off()
    {
        // All items together take longer than the timeout, each of them far less.
        await using var pool = ScriptedPool.Start(options => options.StallTimeout = TimeSpan.FromMilliseconds(1000));
        var items = await pool.StreamAsync(
            "items 8 200000", async _ => await Task.Delay(TimeSpan.FromMilliseconds(200), TimeProvider.System, TestContext.Current.CancellationToken));
        Assert.Equal(8, items.Count);
    }

    [Fact]
    public async Task A_reader_that_stops_reading_stops_the_producer_and_the_worker_survives()
    {
        await using var pool = ScriptedPool.Start(options => options.MaxWorkers = 1);
        var pid = await pool.DoAsync("pid");
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => pool.StreamAsync("items 1000000 100", item => item == 10 ? throw new InvalidTimeZoneException() : Task.CompletedTask));
        Assert.Equal(pid, await pool.DoAsync("pid"));

        using var leaving = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pool.StreamAsync(
            "items 1000000 100", item => item == 10 ? leaving.CancelAsync() : Task.CompletedTask, ScriptedPool.Until(leaving.Token)));
        Assert.Equal(pid, await pool.DoAsync("pid"));
    }

    [Fact]
    public async Task A_hanging_producer_is_killed_after_the_grace_when_its_reader_stops_reading()
    {
        await using var pool = ScriptedPool.Start(options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(200);
        });
        using var leaving = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pool.StreamAsync(
            "items 5 0 hang", item => item == 5 ? leaving.CancelAsync() : Task.CompletedTask, ScriptedPool.Until(leaving.Token)));
        Assert.Equal("after", await pool.DoAsync("after"));
    }
}
