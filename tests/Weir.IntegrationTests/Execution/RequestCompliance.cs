using System.Threading.Channels;
using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>What every executor promises about streamed requests; the same operations, placed differently.</summary>
public abstract class RequestCompliance : IAsyncLifetime
{
    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 60_000;

    private protected static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    private Application _application = null!;

    private protected Application Application => _application;

    private protected abstract IRequestProbe Probe { get; }

    private protected virtual void Configure(WeirOptions options)
    {
    }

    public ValueTask InitializeAsync()
    {
        _application = new Application(Configure);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Theory(Timeout = Limit)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(10_000)]
    public async Task All_items_reach_the_operation_in_order(int n)
    {
        var items = new OwnItems<string?>(Enumerable.Range(0, n).Select(static i => $"{i}"));
        var joined = await InTime(Probe.Join(",", items, Token));

        Assert.Equal(string.Join(',', Enumerable.Range(0, n)), joined);
        await InTime(items.Disposed);
    }

    [Fact(Timeout = Limit)]
    public async Task Text_and_null_arrive_as_they_went() =>
        Assert.Equal("水門\n\"weir\"|(null)|", await InTime(Probe.Join("|", new OwnItems<string?>(["水門\n\"weir\"", null, ""]), Token)));

    [Fact(Timeout = Limit)]
    public async Task Bytes_arrive_whatever_their_size() =>
        Assert.Equal("0 1 100000 65536 3000000 7", await InTime(Probe.Sizes(new OwnItems<byte[]>([[], [1], new byte[100_000], new byte[65_536], new byte[3_000_000], new byte[7]]), Token)));

    [Fact(Timeout = Limit)]
    public async Task What_the_callers_items_throw_is_what_the_caller_gets()
    {
        var failure = new FormatException("line 3");
        var items = new OwnItems<int>([1, 2]) { Failure = failure };

        Assert.Same(failure, await Assert.ThrowsAsync<FormatException>(() => InTime(Probe.Sum(items, Token))));
        await InTime(items.Disposed);
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_may_end_well_although_the_items_failed()
    {
        var items = new OwnItems<int>([1, 2]) { Failure = new FormatException("line 3") };
        Assert.Equal(2, await InTime(Probe.CountBeforeFailure(items, Token)));
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_that_has_enough_stops_the_caller()
    {
        var items = new OwnItems<int>([1, 2, 3]) { IsEndless = true };
        Assert.Equal(1, await InTime(Probe.First(items, Token)));
        await InTime(items.Disposed);
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_that_asks_for_nothing_gets_nothing()
    {
        var items = new OwnItems<int>([1, 2, 3]);
        Assert.Equal("ignored", await InTime(Probe.Ignore(items, Token)));
        Assert.False(items.HasBegun);
    }

    [Fact(Timeout = Limit)]
    public async Task An_operation_that_fails_stops_the_caller()
    {
        var items = new OwnItems<int>([1, 2, 3]) { IsEndless = true };
        var error = await Assert.ThrowsAnyAsync<Exception>(() => InTime(Probe.FailAt(2, items, Token)));
        Assert.Equal("at 2", error.Message);
        await InTime(items.Disposed);
    }

    [Fact(Timeout = Limit)]
    public async Task A_caller_who_leaves_ends_both_sides()
    {
        using var leaving = new CancellationTokenSource();
        var items = new OwnItems<int>([1, 2, 3]) { IsEndless = true };
        var running = Probe.Sum(items, leaving.Token);
        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => InTime(running));
        if (items.HasBegun)
        {
            await InTime(items.Disposed);
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_caller_without_items_is_told_so() =>
        await Assert.ThrowsAsync<ArgumentNullException>(() => InTime(Probe.Sum(null!, Token)));

    [Fact(Timeout = Limit)]
    public async Task Each_item_may_wait_for_the_answer_to_the_last()
    {
        // Neither direction may hold an item back until more come: the caller has no more before it sees the answer.
        var next = Channel.CreateUnbounded<int>();
        await next.Writer.WriteAsync(1, Token);
        var last = 0;
        await foreach (var doubled in Probe.Double(next.Reader.ReadAllAsync(CancellationToken.None), Token).WithCancellation(Token))
        {
            last = doubled;
            if (doubled < 1000)
            {
                await next.Writer.WriteAsync(doubled, Token);
            }
            else
            {
                next.Writer.Complete();
            }
        }

        Assert.Equal(1024, last);
    }

    [Fact(Timeout = Limit)]
    public async Task Both_directions_run_at_once()
    {
        var items = new OwnItems<int>(Enumerable.Range(0, 20_000));
        var expected = 0;
        await foreach (var doubled in Probe.Double(items, Token).WithCancellation(Token))
        {
            Assert.Equal(2 * expected++, doubled);
        }

        Assert.Equal(20_000, expected);
    }

    [Fact(Timeout = Limit)]
    public async Task Failing_items_end_a_streamed_result_after_what_came_before()
    {
        var failure = new FormatException("line 3");
        var doubled = new List<int>();
        var error = await Assert.ThrowsAsync<FormatException>(async () =>
        {
            await foreach (var one in Probe.Double(new OwnItems<int>([1, 2]) { Failure = failure }, Token).WithCancellation(Token))
            {
                doubled.Add(one);
            }
        });

        Assert.Same(failure, error);
        Assert.Equal([2, 4], doubled);
    }

    [Fact(Timeout = Limit)]
    public async Task A_consumer_who_leaves_ends_both_sides()
    {
        var items = new OwnItems<int>(Enumerable.Range(0, 1_000_000));
        await foreach (var doubled in Probe.Double(items, Token).WithCancellation(Token))
        {
            if (doubled == 10)
            {
                break;
            }
        }

        await InTime(items.Disposed);
        Assert.True(items.Given < 100_000, $"{items.Given} items were taken");
    }

    [Fact(Timeout = Limit)]
    public async Task Calls_at_once_keep_their_items_apart()
    {
        var calls = Enumerable.Range(0, 50).Select(async one =>
            await Probe.Sum(new OwnItems<int>(Enumerable.Repeat(one, 200)) { Before = static _ => Task.CompletedTask }, Token) == 200 * one);
        Assert.All(await InTime(Task.WhenAll(calls)), Assert.True);
    }

    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected static Task<T> InTime<T>(Task<T> task) => task.WaitAsync(Soon, Token);

    private protected static Task InTime(Task task) => task.WaitAsync(Soon, Token);
}

public sealed class InlineRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<IInlineRequests>();
}

public sealed class LaneRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<ILaneRequests>();
}

public sealed class PoolRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<IIsolatedRequests>();
}

/// <summary>In a worker, on threads that wait for the items where they stand.</summary>
public sealed class PoolBlockingRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<IIsolatedBlockingRequests>();
}

/// <summary>Where only named pipes and <c>Process.Start</c> are available: no shared memory, so the worker sends STARTED for every call.</summary>
public sealed class PortablePoolRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<IIsolatedRequests>();

    private protected override void Configure(WeirOptions options) => options.Pool("probe").Launcher = new PortableLauncher();
}

/// <summary>Beside others in one worker: their frames share a channel.</summary>
public sealed class ConcurrentPoolRequestTests : RequestCompliance
{
    private protected override IRequestProbe Probe => Application.Get<IIsolatedRequests>();

    private protected override void Configure(WeirOptions options) => (options.Pool("probe").MaxWorkers, options.Pool("probe").Concurrency) = (1, 8);
}
