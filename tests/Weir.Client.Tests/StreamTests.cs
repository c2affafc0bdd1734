using System.Runtime.CompilerServices;
using System.Text;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Streams in both directions.</summary>
public sealed class StreamTests(ClientHost host) : IClassFixture<ClientHost>
{
    private readonly IStreams _streams = host.Client<IStreams>();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20_000)]
    public async Task All_items_come_in_order(int n) =>
        Assert.Equal(Enumerable.Range(0, n), await _streams.Count(n, ct: Cancel).ToListAsync(Cancel));

    [Fact]
    public async Task An_item_comes_while_the_producer_is_still_running()
    {
        await using var items = _streams.WaitAfter(1, Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        Assert.Equal(0, items.Current);
    }

    [Fact]
    public async Task A_sequence_can_be_enumerated_again_which_is_another_request()
    {
        var items = _streams.Count(3, ct: Cancel);
        Assert.Equal([0, 1, 2], await items.ToListAsync(Cancel));
        Assert.Equal([0, 1, 2], await items.ToListAsync(Cancel));
    }

    [Fact]
    public async Task Disposing_of_the_enumerator_stops_the_operation()
    {
        var before = Streams.Stopped;
        await foreach (var item in _streams.WaitAfter(5, Cancel))
        {
            if (item == 4)
            {
                break;
            }
        }

        await UntilAsync(() => Streams.Stopped > before);
    }

    [Fact]
    public async Task Cancelling_stops_the_operation_and_throws()
    {
        var before = Streams.Stopped;
        using var leaving = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var item in _streams.WaitAfter(5, CancellationToken.None).WithCancellation(leaving.Token))
            {
                if (item == 4)
                {
                    await leaving.CancelAsync();
                }
            }
        });
        await UntilAsync(() => Streams.Stopped > before);
    }

    [Fact]
    public async Task Cancelling_a_call_stops_the_operation_and_throws()
    {
        var (before, waiting) = (Streams.Stopped, Streams.Waiting);
        using var leaving = new CancellationTokenSource();
        var call = _streams.Wait(leaving.Token);
        await UntilAsync(() => Streams.Waiting > waiting);
        await leaving.CancelAsync();
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await call);
        Assert.Equal(leaving.Token, error.CancellationToken);
        await UntilAsync(() => Streams.Stopped > before);
    }

    [Fact]
    public async Task A_failure_comes_after_the_items_before_it()
    {
        var names = new List<string>();
        var error = await Assert.ThrowsAsync<GoneException>(async () =>
        {
            await foreach (var part in _streams.Fail(100, "gone", Cancel))
            {
                names.Add(part.Name);
            }
        });
        Assert.Equal("after 100", error.Message);
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => $"part {i}"), names);
    }

    [Fact]
    public async Task A_failure_before_the_first_item_is_the_same_exception()
    {
        await using var items = _streams.Fail(0, "gone", Cancel).GetAsyncEnumerator(Cancel);
        var error = await Assert.ThrowsAsync<GoneException>(async () => await items.MoveNextAsync());
        Assert.Equal("after 0", error.Message);
        Assert.False(await items.MoveNextAsync());
    }

    [Fact]
    public async Task An_undeclared_failure_is_a_problem()
    {
        var error = await Assert.ThrowsAsync<ProblemException>(async () => await _streams.Fail(3, "other", Cancel).ToListAsync(Cancel));
        Assert.Equal((WeirCodes.HandlerFailed, 500, CallStatus.HandlerFailed), (error.Code, error.Problem!.Status, error.Status));
    }

    [Fact]
    public async Task Items_that_look_like_the_end_of_the_stream_are_items() =>
        Assert.Equal(["0", "1", "2"], (await _streams.Marked(3, Cancel).ToListAsync(Cancel)).Select(static one => one["$weir"]));

    [Fact]
    public async Task Bytes_come_as_they_are_and_blocks_keep_their_boundaries()
    {
        var text = new StringBuilder();
        await foreach (var bytes in _streams.Bytes(1000, Cancel))
        {
            text.Append(Encoding.UTF8.GetString(bytes.Span));
        }

        Assert.Equal(string.Concat(Enumerable.Range(0, 1000).Select(static i => $"{i};")), text.ToString());
        Assert.Equal([0, 1, 2, 3], (await _streams.Blocks(4, Cancel).ToListAsync(Cancel)).Select(static one => one.Length));
    }

    [Fact]
    public async Task Items_are_sent_to_an_operation()
    {
        Assert.Equal(Enumerable.Range(0, 10_000).Where(static i => i % 2 == 0).Sum(), await _streams.Total(Parts(10_000), "even", Cancel));
        Assert.Equal(0, await _streams.Total(Parts(0), "even", Cancel));
    }

    [Fact]
    public async Task What_the_callers_own_sequence_throws_is_thrown_to_the_caller()
    {
        var error = await Assert.ThrowsAsync<FormatException>(async () => await _streams.Total(Broken(), "even", Cancel));
        Assert.Equal("no more", error.Message);

        static async IAsyncEnumerable<Part> Broken()
        {
            yield return new Part("even", 1);
            await Task.Yield();
            throw new FormatException("no more");
        }
    }

    [Fact]
    public async Task Both_directions_flow_at_the_same_time_over_HTTP2()
    {
        var streams = WeirClient.Create<IStreams>(host.Http2);
        var received = new SemaphoreSlim(0);
        var doubled = new List<int>();
        await foreach (var number in streams.Doubled(Numbers(received, Cancel), Cancel))
        {
            doubled.Add(number);
            received.Release();
        }

        Assert.Equal([0, 2, 4], doubled);

        // Each number is sent only after the one before it came back.
        static async IAsyncEnumerable<int> Numbers(SemaphoreSlim received, [EnumeratorCancellation] CancellationToken ct)
        {
            for (var i = 0; i < 3; i++)
            {
                yield return i;
                await received.WaitAsync(TimeSpan.FromSeconds(10), ct);
            }
        }
    }

    private static async IAsyncEnumerable<Part> Parts(int n)
    {
        for (var i = 0; i < n; i++)
        {
            if (i % 1000 == 0)
            {
                await Task.Yield();
            }

            yield return new Part(i % 2 == 0 ? "even" : "odd", i);
        }
    }

    internal static async Task UntilAsync(Func<bool> condition)
    {
        for (var i = 0; i < 500 && !condition(); i++)
        {
            await Task.Delay(20, Cancel);
        }

        Assert.True(condition());
    }
}
