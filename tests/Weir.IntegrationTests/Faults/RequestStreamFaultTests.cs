using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Streamed requests to workers that die, stop listening, answer early or never, and callers that do the same.</summary>
public sealed class RequestStreamFaultTests
{
    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 60_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact(Timeout = Limit)]
    public async Task A_worker_that_dies_in_the_middle_fails_the_call_and_stops_the_caller()
    {
        await using var pool = Start();
        var worker = pool.GetProxy<IRequestMisbehaviourClient>();
        var items = new OwnItems<int>([1, 2, 3]) { IsEndless = true };
        var loss = await Assert.ThrowsAsync<WorkerLostException>(async () => await worker.TakeAndExit(2, items, Token));
        Assert.Equal("exit code 7", loss.Cause);
        await items.Disposed.WithinAsync(20);
        Assert.Equal(3, await worker.Weigh(new OwnItems<byte[]>([[1], [2, 3]]), Token));
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_idempotent_call_runs_again_only_while_nothing_was_asked_of_its_caller(bool asksFirst)
    {
        var marker = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            await using var pool = Start();
            var items = new OwnItems<int>([1, 2, 3]);
            var running = pool.GetProxy<IRequestMisbehaviourClient>().ExitOnce(marker, asksFirst, items, Token).AsTask();
            if (asksFirst)
            {
                await Assert.ThrowsAsync<WorkerLostException>(() => running);
            }
            else
            {
                Assert.Equal(3, await running);
            }

            Assert.True(File.Exists(marker));
            await items.Disposed.WithinAsync(20);
        }
        finally
        {
            File.Delete(marker);
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_caller_that_is_faster_than_the_operation_waits_and_continues_when_it_cancels()
    {
        await using var pool = Start();
        using var leaving = new CancellationTokenSource();
        var items = new OwnItems<byte[]>(Enumerable.Repeat(new byte[10_000], 1_000_000));
        var running = pool.GetProxy<IRequestMisbehaviourClient>().TakeAndWait(1, items, leaving.Token).AsTask();
        const int Credit = 256 * 1024 / 10_016;
        Assert.True(await ProcFiles.EventuallyAsync(() => items.Given >= Credit, TimeSpan.FromSeconds(30)), $"{items.Given} items");

        // Time to send more than that, if it did. The initial credit of the worker, an item that exceeds it, and one that waits here.
        await Task.Delay(TimeSpan.FromMilliseconds(100), TimeProvider.System, Token);
        Assert.InRange(items.Given, Credit, Credit + 3);
        var pid = Assert.Single(pool.Snapshot().Workers).ProcessId;
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        await items.Disposed.WithinAsync(20);
        Assert.Equal(1, await pool.GetProxy<IRequestMisbehaviourClient>().Weigh(new OwnItems<byte[]>([[1]]), Token));
        Assert.Equal(pid, Assert.Single(pool.Snapshot().Workers).ProcessId);
    }

    [Fact(Timeout = Limit)]
    public async Task A_caller_that_cancels_ends_the_waiting_of_code_that_has_no_token()
    {
        await using var pool = Start();
        var worker = pool.GetProxy<IRequestMisbehaviourClient>();
        Assert.Equal(0, await worker.Weigh(new OwnItems<byte[]>([]), Token));
        var pid = Assert.Single(pool.Snapshot().Workers).ProcessId;
        using var leaving = new CancellationTokenSource();
        var items = new OwnItems<int>([1]) { IsEndless = true };
        var running = worker.WaitForItem(items, leaving.Token).AsTask();
        Assert.True(await ProcFiles.EventuallyAsync(() => items.Given == 1, TimeSpan.FromSeconds(20)));
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.Equal(1, await worker.Weigh(new OwnItems<byte[]>([[1]]), Token));
        Assert.Equal(pid, Assert.Single(pool.Snapshot().Workers).ProcessId);
    }

    [Fact(Timeout = Limit)]
    public async Task Items_that_come_too_late_do_not_reach_the_next_call()
    {
        await using var pool = Start();
        var worker = pool.GetProxy<IRequestMisbehaviourClient>();
        for (var i = 0; i < 100; i++)
        {
            // It is answered while the items are on their way.
            Assert.Equal("forgotten", await worker.Forget(new OwnItems<int>(Enumerable.Range(0, 5000)), Token));
            Assert.Equal(i, await worker.Weigh(new OwnItems<byte[]>([new byte[i]]), Token));
        }

        Assert.Single(pool.Snapshot().Workers);
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_gets_the_failure_of_the_items_each_time_it_asks_and_may_replace_it()
    {
        await using var pool = Start();
        var worker = pool.GetProxy<IRequestMisbehaviourClient>();
        const string Said = "The caller's items ended early: System.FormatException: line 3";
        Assert.Equal($"True|{Said}|{Said}", await worker.AskAgain(new OwnItems<int>([1]) { Failure = new FormatException("line 3") }, Token));
        var failure = await Assert.ThrowsAsync<RemoteException>(async () => await worker.Replace(new OwnItems<int>([1]) { Failure = new FormatException("line 3") }, Token));
        Assert.Equal("the import is incomplete", failure.Message);
    }

    [Fact(Timeout = Limit)]
    public async Task An_item_over_the_limit_of_a_payload_is_named_and_the_worker_survives()
    {
        await using var pool = Start(static options => options.PayloadLimitBytes = 10_000);
        var worker = pool.GetProxy<IRequestMisbehaviourClient>();
        Assert.Equal(10_000, await worker.Weigh(new OwnItems<byte[]>([new byte[10_000]]), Token));
        var pid = Assert.Single(pool.Snapshot().Workers).ProcessId;
        var failure = await Assert.ThrowsAsync<PayloadTooLargeException>(async () => await worker.Weigh(new OwnItems<byte[]>([new byte[9_000], new byte[10_001]]), Token));
        Assert.Contains("parts[1] of RequestMisbehaviour/Weigh takes 10001 bytes; PayloadLimitBytes of pool 'misbehaviour' is 10000", failure.Message, StringComparison.Ordinal);
        Assert.Equal(1, await worker.Weigh(new OwnItems<byte[]>([[1]]), Token));
        Assert.Equal(pid, Assert.Single(pool.Snapshot().Workers).ProcessId);
    }

    [Fact(Timeout = Limit)]
    public async Task A_call_that_is_turned_away_has_touched_no_item()
    {
        var pool = Start();
        await pool.DisposeAsync();
        var items = new OwnItems<byte[]>([[1]]);
        await Assert.ThrowsAsync<CallRejectedException>(async () => await pool.GetProxy<IRequestMisbehaviourClient>().Weigh(items, Token));
        Assert.False(items.HasBegun);
    }

    [Fact(Timeout = Limit)]
    public async Task The_callers_items_run_as_if_the_caller_enumerated_them()
    {
        var ambient = new AsyncLocal<string> { Value = "the caller's" };
        await using var pool = Start();
        var seen = "";
        var items = new OwnItems<byte[]>([[1]])
        {
            Before = _ =>
            {
                seen = ambient.Value!;
                return Task.CompletedTask;
            },
        };
        await pool.GetProxy<IRequestMisbehaviourClient>().Weigh(items, Token);
        Assert.Equal("the caller's", seen);
    }

    [Fact(Timeout = Limit)]
    public async Task Many_megabytes_pass_through_both_buffers()
    {
        await using var pool = Start();
        var weight = await pool.GetProxy<IRequestMisbehaviourClient>().Weigh(new OwnItems<byte[]>(Enumerable.Range(0, 2_000).Select(static i => new byte[i * 37 % 100_000])), Token);
        Assert.Equal(Enumerable.Range(0, 2_000).Sum(static i => i * 37L % 100_000), weight);
    }

    private static WorkerPool Start(Action<PoolOptions>? configure = null) => FreshPool.Start("misbehaviour", options =>
    {
        options.MaxWorkers = 1;
        options.RestartBudget = 100;
        configure?.Invoke(options);
    });
}
