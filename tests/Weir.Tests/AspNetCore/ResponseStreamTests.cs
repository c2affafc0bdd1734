using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

public sealed class ResponseStreamTests
{
    private static readonly WeirServerOptions Silent = new() { HeartbeatInterval = null, ReaderStallTimeout = null };

    [Fact]
    public async Task The_first_item_is_sent_at_once_together_with_the_headers()
    {
        await using var bench = new StreamBench();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Advance(100);
        Assert.Equal(0, bench.Output.Commits);

        items.Give(1);
        Assert.Equal(1, bench.Output.Commits);
        Assert.Equal("1\n", bench.Output.Sent);

        items.End();
        await pumping;
    }

    [Fact]
    public async Task Written_items_are_sent_when_the_producer_is_pending()
    {
        await using var bench = new StreamBench();
        var pumping = bench.Stream.PumpAsync(new Sequence("1", "2", "3", null), CancellationToken.None);
        Assert.Equal(["1\n", "2\n3\n"], bench.Output.Writes);
        Assert.False(pumping.IsCompleted);
    }

    [Fact]
    public async Task A_blocked_producer_delays_an_item_for_no_longer_than_the_maximum()
    {
        await using var bench = new StreamBench(options: Silent);
        var sent = new List<string>();
        bench.Stream.Pump(
            new BlockingItems(
                () => "1",
                () => "2",
                () =>
                {
                    sent.Add(bench.Output.Sent);
                    bench.Advance(4);
                    sent.Add(bench.Output.Sent);
                    bench.Advance(2);
                    sent.Add(bench.Output.Sent);
                    return "3";
                }),
            CancellationToken.None);
        Assert.Equal(["1\n", "1\n", "1\n2\n"], sent);
    }

    [Fact]
    public async Task An_item_that_comes_long_after_the_last_flush_is_sent_at_once()
    {
        await using var bench = new StreamBench(options: Silent);
        bench.Stream.Pump(
            new BlockingItems(
                () => "1",
                () =>
                {
                    bench.Advance(5);
                    return "2";
                },
                () =>
                {
                    Assert.Equal("1\n2\n", bench.Output.Sent);
                    Assert.Equal(0, bench.Time.ActiveTimers);
                    return null;
                }),
            CancellationToken.None);
    }

    [Fact]
    public async Task The_ticker_runs_only_while_an_item_waits()
    {
        await using var bench = new StreamBench(options: Silent);
        Assert.Equal(0, bench.Time.ActiveTimers);
        bench.Stream.Pump(
            new BlockingItems(
                () => "1",
                () => "2",
                () =>
                {
                    Assert.Equal(1, bench.Time.ActiveTimers);
                    bench.Advance(5);
                    Assert.Equal("1\n2\n", bench.Output.Sent);
                    Assert.Equal(0, bench.Time.ActiveTimers);
                    return null;
                }),
            CancellationToken.None);
    }

    [Fact]
    public async Task A_producer_that_is_always_busy_is_notified_that_an_item_must_be_sent()
    {
        // The ticker finds the lock taken at every tick, because time passes only while items are encoded.
        await using var bench = new StreamBench();
        var items = new Sequence("1", "2", "3", "4", "5", "6", null) { WhileEncoding = () => bench.Advance(3) };
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        await items.Pending;
        Assert.False(pumping.IsCompleted);
        Assert.Equal(["1\n", "2\n3\n4\n", "5\n6\n"], bench.Output.Writes);
    }

    [Theory]
    [InlineData(FlushPolicy.Adaptive, 2)]
    [InlineData(FlushPolicy.Bulk, 1)]
    public async Task A_full_chunk_is_sent_at_once(FlushPolicy policy, int writes)
    {
        await using var bench = new StreamBench(policy: policy);
        var item = $"\"{new string('x', 997)}\"";
        await bench.Stream.PumpAsync(new Sequence([.. Enumerable.Repeat(item, 40)]), CancellationToken.None);
        Assert.Equal(writes, bench.Output.Writes.Count);
        Assert.Equal(33_000, bench.Output.Writes[^1].Length);
    }

    [Theory]
    [InlineData(FlushPolicy.Adaptive, 21)]
    [InlineData(FlushPolicy.Bulk, 1)]
    public async Task A_piece_that_is_large_enough_for_its_reader_is_sent_at_once(FlushPolicy policy, int writes)
    {
        await using var bench = new StreamBench(policy: policy);
        bench.Output.PieceSize = 2_000;
        var item = $"\"{new string('x', 997)}\"";
        await bench.Stream.PumpAsync(new Sequence([.. Enumerable.Repeat(item, 41)]), CancellationToken.None);
        await bench.Stream.CompleteAsync();
        Assert.Equal(writes + (policy == FlushPolicy.Bulk ? 1 : 0), bench.Output.Writes.Count);
    }

    [Fact]
    public async Task The_last_write_does_not_wait_for_its_reader()
    {
        await using var bench = new StreamBench(policy: FlushPolicy.Item);
        await bench.Stream.PumpAsync(new Sequence("1", "2"), CancellationToken.None);
        Assert.False(bench.Output.WasLast);
    }

    [Fact]
    public async Task In_mode_by_item_every_item_is_sent_alone()
    {
        await using var bench = new StreamBench(policy: FlushPolicy.Item);
        await bench.Stream.PumpAsync(new Sequence("1", "2", "3"), CancellationToken.None);
        Assert.Equal(["1\n", "2\n", "3\n"], bench.Output.Writes);
    }

    [Fact]
    public async Task In_mode_bulk_items_are_sent_together_at_the_end()
    {
        await using var bench = new StreamBench(policy: FlushPolicy.Bulk);
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        bench.Advance(1000);
        items.Give(2);
        Assert.Equal(0, bench.Output.Commits);
        items.End();
        await pumping;
        await bench.Stream.CompleteAsync();
        Assert.Equal(["1\n2\n"], bench.Output.Writes);
    }

    [Fact]
    public async Task An_item_larger_than_a_slice_is_sent_in_slices()
    {
        await using var bench = new StreamBench();
        var item = $"\"{new string('x', 200_000)}\"";
        await bench.Stream.PumpAsync(new Sequence(item), CancellationToken.None);
        Assert.Equal([65_536, 65_536, 65_536, 3_395], bench.Output.Writes.Select(static write => write.Length));
        Assert.Equal(item + "\n", bench.Output.Sent);
    }

    [Fact]
    public async Task A_line_break_inside_an_encoded_item_does_not_break_its_line()
    {
        await using var bench = new StreamBench(new SseFormat());
        await bench.Stream.PumpAsync(new EncodedItems("{\n  \"a\": 1\r\n}"), CancellationToken.None);
        Assert.Equal("id: 0\ndata: {   \"a\": 1  }\n\n", bench.Output.Sent);
    }

    [Fact]
    public async Task A_slow_reader_makes_the_producer_wait()
    {
        await using var bench = new StreamBench(options: Silent);
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Output.Close();
        items.Give(1);
        bench.Advance(1000);
        Assert.Equal(1, items.Asked);

        bench.Output.Open();
        Assert.Equal(2, items.Asked);
        items.End();
        await pumping;
    }

    [Fact]
    public async Task A_producer_that_returns_while_the_ticker_sends_waits_for_its_turn()
    {
        await using var bench = new StreamBench(options: Silent);
        using var returned = new ManualResetEventSlim();
        var writesBefore = 0;
        var pumping = Task.Run(
            () => bench.Stream.Pump(
                new BlockingItems(
                    () => "1",
                    () => "2",
                    () =>
                    {
                        bench.Output.Close();
                        bench.Advance(10);
                        writesBefore = bench.Output.Writes.Count;
                        returned.Set();
                        return "3";
                    }),
                CancellationToken.None),
            TestContext.Current.CancellationToken);

        returned.Wait(TestContext.Current.CancellationToken);
        Assert.Equal(2, writesBefore);
        Assert.Equal("1\n2\n", bench.Output.Sent);
        bench.Output.Open();
        await pumping;
        await bench.Stream.CompleteAsync();
        Assert.Equal("1\n2\n3\n", bench.Output.Sent);
    }

    [Fact]
    public async Task A_silent_stream_sends_heartbeats()
    {
        await using var bench = new StreamBench();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        bench.Advance(14_990);
        Assert.Equal("1\n", bench.Output.Sent);
        bench.Advance(20);
        Assert.Equal("1\n\n", bench.Output.Sent);
        bench.Advance(7_000);
        items.Give(2);
        bench.Advance(14_990);
        Assert.Equal("1\n\n2\n", bench.Output.Sent);
        bench.Advance(30_020);
        Assert.Equal("1\n\n2\n\n\n\n", bench.Output.Sent);
        items.End();
        await pumping;
    }

    [Fact]
    public async Task A_heartbeat_before_the_first_item_decides_the_status()
    {
        await using var bench = new StreamBench(new JsonArrayFormat());
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Advance(15_000);
        Assert.Equal(1, bench.Output.Commits);
        items.Give(1);
        items.End();
        await pumping;
        await bench.Stream.CompleteAsync();
        Assert.Equal(" [1]", bench.Output.Sent);
    }

    [Fact]
    public async Task A_stream_that_waits_for_a_place_to_run_sends_heartbeats()
    {
        await using var bench = new StreamBench(new SseFormat());
        bench.Advance(15_000);
        Assert.Equal(": \n\n", bench.Output.Sent);
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_is_disconnected()
    {
        await using var bench = new StreamBench(options: new WeirServerOptions { HeartbeatInterval = null });
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Advance(20_000);
        bench.Output.Close();
        items.Give(1);
        bench.Advance(29_999);
        Assert.False(bench.Output.IsAborted);
        bench.Advance(1);
        Assert.True(bench.Output.IsAborted);
        Assert.True(bench.Stream.IsStalled);
        await Assert.ThrowsAsync<ClientDisconnectedException>(async () => await pumping);
    }

    [Theory]
    [InlineData(FlushPolicy.Adaptive)]
    [InlineData(FlushPolicy.Item)]
    public async Task A_producer_that_never_waits_stops_when_a_write_finds_that_the_client_has_disconnected(FlushPolicy policy)
    {
        await using var bench = new StreamBench(policy: policy);
        bench.Output.IsDisconnected = true;
        var items = new Sequence([.. Enumerable.Repeat("1", 1_000_000)]);
        await Assert.ThrowsAsync<ClientDisconnectedException>(async () => await bench.Stream.PumpAsync(items, CancellationToken.None));
        Assert.Equal(1, items.Given);
        Assert.Equal(0, bench.Stream.Sent);
    }

    [Fact]
    public async Task A_blocking_producer_stops_when_a_write_finds_that_the_client_has_disconnected()
    {
        await using var bench = new StreamBench();
        bench.Output.IsDisconnected = true;
        var items = new BlockingItems([.. Enumerable.Repeat(static () => "1", 10)]);
        Assert.Throws<ClientDisconnectedException>(() => bench.Stream.Pump(items, CancellationToken.None));
        Assert.Equal(1, items.Asked);
    }

    [Fact]
    public async Task A_producer_stops_when_a_write_that_waited_for_the_reader_finds_that_it_has_disconnected()
    {
        await using var bench = new StreamBench();
        bench.Output.Close();
        var items = new Sequence([.. Enumerable.Repeat("1", 10)]);
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        Assert.Equal(1, items.Given);
        bench.Output.IsDisconnected = true;
        bench.Output.Open();
        await Assert.ThrowsAsync<ClientDisconnectedException>(async () => await pumping);
        Assert.Equal(1, items.Given);
    }

    [Fact]
    public async Task A_disconnect_found_by_a_timer_stops_the_producer_at_its_next_item()
    {
        await using var bench = new StreamBench(options: Silent);
        var items = new BlockingItems(
            () => "1",
            () => "2",
            () =>
            {
                bench.Output.IsDisconnected = true;
                bench.Advance(10);
                return "3";
            },
            () => "4");
        Assert.Throws<ClientDisconnectedException>(() => bench.Stream.Pump(items, CancellationToken.None));
        Assert.Equal(3, items.Asked);
    }

    [Fact]
    public async Task A_producer_that_never_waits_yields_its_thread_regularly()
    {
        // Items of 10 µs. Those behind the first slice wait until this test has seen that its thread is free.
        await using var bench = new StreamBench();
        using var seen = new ManualResetEventSlim();
        var own = Environment.CurrentManagedThreadId;
        var items = new Sequence([.. Enumerable.Repeat("1", 1000), null])
        {
            WhileEncoding = () =>
            {
                bench.Advance(0.01);
                if (Environment.CurrentManagedThreadId != own)
                {
                    seen.Wait();
                }
            },
        };
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);

        // The call returns here after one slice of 0.1 ms; the rest runs on the thread pool.
        Assert.InRange(items.Given, 1, 100);
        seen.Set();
        await items.Pending;
        Assert.Equal(1000, items.Given);
        Assert.False(pumping.IsCompleted);
    }

    [Fact]
    public async Task A_producer_that_never_waits_keeps_its_thread_while_no_other_work_waits_for_one()
    {
        await using var bench = new StreamBench(isThreadWanted: false);
        var items = new Sequence([.. Enumerable.Repeat("1", 1000), null]) { WhileEncoding = () => bench.Advance(0.01) };
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        Assert.Equal(1000, items.Given);
        Assert.False(pumping.IsCompleted);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_producer_that_never_waits_holds_no_buffer_while_many_others_wait_for_a_thread(bool isCrowded)
    {
        // Each item takes a slice, which ends with it: the next is written after the turn of the others.
        await using var bench = new StreamBench(isCrowded: isCrowded);
        var held = new List<int>();
        var items = new Sequence([.. Enumerable.Repeat($"\"{new string('x', 5_000)}\"", 4), null])
        {
            WhileEncoding = () => bench.Advance(0.2),
            WhileAsked = () => held.Add(bench.Stream.Held),
        };
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        await items.Pending;
        Assert.False(pumping.IsCompleted);
        Assert.Equal(isCrowded, held[2..].TrueForAll(static bytes => bytes == 0));
    }

    [Fact]
    public async Task A_slow_reader_holds_no_buffer()
    {
        await using var bench = new StreamBench();
        bench.Output.Close();
        var items = new Sequence([.. Enumerable.Repeat($"\"{new string('x', 5_000)}\"", 2)]);
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        Assert.Equal((1, 0), (items.Given, bench.Stream.Held));
        bench.Output.Open();
        await pumping;
    }

    [Fact]
    public async Task The_token_is_checked_after_every_item()
    {
        using var leaving = new CancellationTokenSource();
        await using var bench = new StreamBench();
        var items = new BlockingItems(
            () => "1",
            () =>
            {
                leaving.Cancel();
                return "2";
            },
            () => "3");
        Assert.Throws<OperationCanceledException>(() => bench.Stream.Pump(items, leaving.Token));
        Assert.Equal(2, items.Asked);
        Assert.Equal("1\n", bench.Output.Sent);
    }

    [Fact]
    public async Task A_producer_that_ends_normally_after_a_cancel_is_not_complete()
    {
        using var leaving = new CancellationTokenSource();
        await using var bench = new StreamBench();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, leaving.Token);
        items.Give(1);
        await leaving.CancelAsync();
        items.End();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await pumping);
    }

    [Fact]
    public async Task A_response_that_cannot_be_started_stops_the_producer()
    {
        await using var bench = new StreamBench();
        bench.Output.CommitFailure = new InvalidOperationException("no such header");
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Advance(15_000);
        items.Give(1);
        Assert.Same(bench.Output.CommitFailure, await Assert.ThrowsAsync<InvalidOperationException>(async () => await pumping));
        Assert.False(await bench.Stream.TryFailAsync(StreamBench.Problem));
    }

    [Theory]
    [InlineData(FlushPolicy.Adaptive, 3)]
    [InlineData(FlushPolicy.Bulk, 0)]
    public async Task Sent_items_are_counted(FlushPolicy policy, long sent)
    {
        await using var bench = new StreamBench(policy: policy);
        var pumping = bench.Stream.PumpAsync(new Sequence("1", "2", "3", null), CancellationToken.None);
        Assert.False(pumping.IsCompleted);
        Assert.Equal(sent, bench.Stream.Sent);
    }

    /// <summary>Items that are available at once, up to a <c>null</c>, which stands for an item that never arrives.</summary>
    private sealed class Sequence(params string?[] items) : ItemSource
    {
        private readonly TaskCompletionSource<bool> _never = new();
        private readonly TaskCompletionSource _pending = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _next;

        internal Action? WhileEncoding { get; init; }

        internal Action? WhileAsked { get; init; }

        /// <summary>Completes when the <c>null</c> was requested.</summary>
        internal Task Pending => _pending.Task;

        /// <summary>The number of items that were returned.</summary>
        internal int Given => _next;

        public override ValueTask<bool> MoveNextAsync()
        {
            WhileAsked?.Invoke();
            if (_next < items.Length && items[_next] is null)
            {
                _pending.TrySetResult();
                return new ValueTask<bool>(_never.Task);
            }

            return new ValueTask<bool>(_next++ < items.Length);
        }

        public override void WriteCurrent(PayloadWriter output)
        {
            output.Write(System.Text.Encoding.UTF8.GetBytes(items[_next - 1]!));
            WhileEncoding?.Invoke();
        }

        public override ValueTask DisposeAsync() => default;
    }
}
