using System.Text.Json;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Streaming;

namespace Weir.Tests.AspNetCore;

public sealed class StreamEndingTests
{
    private const string Problem =
        """{"type":"urn:weir:problem:WEIR2007","title":"The operation failed","status":500,"detail":"It broke.","instance":"/a/b","code":"WEIR2007","traceId":"trace"}""";

    public static TheoryData<string, int, string> Complete => new()
    {
        { "json", 0, "[]" },
        { "json", 1, "[1]" },
        { "json", 3, "[1,2,3]" },
        { "ndjson", 0, "" },
        { "ndjson", 2, "1\n2\n" },
        { "ndjson;weir=1", 0, "{\"$weir\":{\"ok\":true,\"count\":0}}\n" },
        { "ndjson;weir=1", 2, "1\n2\n{\"$weir\":{\"ok\":true,\"count\":2}}\n" },
        { "sse", 0, "id: $end\nevent: end\ndata: {\"count\":0}\n\n" },
        { "sse", 2, "id: 0\ndata: 1\n\nid: 1\ndata: 2\n\nid: $end\nevent: end\ndata: {\"count\":2}\n\n" },
    };

    public static TheoryData<string, string, bool> Failed => new()
    {
        { "json", "[1,2", true },
        { "ndjson", "1\n2\n", true },
        { "ndjson;weir=1", $"1\n2\n{{\"$weir\":{{\"problem\":{Problem},\"index\":2}}}}\n", false },
        { "sse", $"id: 0\ndata: 1\n\nid: 1\ndata: 2\n\nid: $end\nevent: problem\ndata: {Problem[..^1]},\"index\":2}}\n\n", false },
    };

    [Theory]
    [MemberData(nameof(Complete))]
    public async Task A_complete_stream_is_marked_as_complete(string format, int count, string wire)
    {
        await using var bench = new StreamBench(Format(format));
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        for (var i = 1; i <= count; i++)
        {
            items.Give(i);
        }

        items.End();
        await pumping;
        await bench.Stream.CompleteAsync();
        Assert.Equal(wire, bench.Output.Sent);
        Assert.Equal(1, bench.Output.Commits);
        Assert.False(bench.Output.IsAborted);
    }

    [Theory]
    [MemberData(nameof(Failed))]
    public async Task A_stream_that_failed_never_ends_like_one_that_succeeded(string format, string wire, bool aborted)
    {
        await using var bench = new StreamBench(Format(format));
        await FailAfterTwoAsync(bench, static items => items.Fail(new InvalidOperationException()));
        Assert.Equal(wire, bench.Output.Sent);
        Assert.Equal(aborted, bench.Output.IsAborted);
    }

    [Theory]
    [MemberData(nameof(Failed))]
    public async Task An_item_that_cannot_be_written_sends_no_partial_bytes(string format, string wire, bool aborted)
    {
        await using var bench = new StreamBench(Format(format));
        await FailAfterTwoAsync(bench, static items =>
        {
            items.WhileEncoding = static () => throw new JsonException();
            items.Give("{\"half\":");
        });
        Assert.Equal(wire, bench.Output.Sent);
        Assert.Equal(aborted, bench.Output.IsAborted);
    }

    [Fact]
    public async Task A_failure_that_the_producer_did_not_report_is_still_a_failure()
    {
        await using var bench = new StreamBench(Format("json"));
        var failure = new InvalidOperationException();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        items.Fail(failure);
        Assert.Same(failure, await Assert.ThrowsAsync<InvalidOperationException>(async () => await pumping));
        Assert.Same(failure, await Assert.ThrowsAsync<InvalidOperationException>(async () => await bench.Stream.CompleteAsync()));
        Assert.Equal("[1", bench.Output.Sent);
    }

    [Fact]
    public void A_failure_that_a_blocking_producer_did_not_report_is_still_a_failure()
    {
        var bench = new StreamBench(Format("json"));
        var failure = new InvalidOperationException();
        Assert.Throws<InvalidOperationException>(() => bench.Stream.Pump(new BlockingItems(() => "1", () => throw failure), CancellationToken.None));
        Assert.Same(failure, bench.Stream.CompleteAsync().AsTask().Exception?.InnerException);
        Assert.Equal("[1", bench.Output.Sent);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ndjson")]
    [InlineData("ndjson;weir=1")]
    [InlineData("sse")]
    public async Task A_failure_before_anything_was_sent_is_an_ordinary_response(string format)
    {
        await using var bench = new StreamBench(Format(format), FlushPolicy.Bulk);
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        items.Fail(new InvalidOperationException());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pumping);
        Assert.False(await bench.Stream.TryFailAsync(StreamBench.Problem));
        Assert.Equal(0, bench.Output.Commits);
        Assert.Equal("", bench.Output.Sent);
        Assert.False(bench.Output.IsAborted);
    }

    [Fact]
    public async Task A_failure_after_a_silence_in_a_format_without_heartbeats_is_an_ordinary_response()
    {
        await using var bench = new StreamBench(new RawStreamFormat());
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        bench.Advance(60_000);
        Assert.Equal(0, bench.Output.Commits);

        items.Fail(new InvalidOperationException());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pumping);
        Assert.False(await bench.Stream.TryFailAsync(StreamBench.Problem));
        Assert.Equal(0, bench.Output.Commits);
        Assert.False(bench.Output.IsAborted);
    }

    [Fact]
    public async Task Items_that_wait_when_the_producer_fails_are_sent_before_the_abort()
    {
        await using var bench = new StreamBench(Format("json"));
        Assert.Throws<InvalidOperationException>(() => bench.Stream.Pump(
            new BlockingItems(() => "1", () => "2", () => throw new InvalidOperationException()), CancellationToken.None));
        Assert.Equal("[1", bench.Output.Sent);

        bench.Output.Close();
        var failing = bench.Stream.TryFailAsync(StreamBench.Problem).AsTask();
        Assert.Equal("[1,2", bench.Output.Sent);
        bench.Advance(10_000);
        Assert.False(bench.Output.IsAborted);

        bench.Output.Open();
        Assert.False(bench.Output.IsAborted);
        bench.Advance(50);
        Assert.True(await failing);
        Assert.True(bench.Output.IsAborted);
    }

    [Theory]
    [MemberData(nameof(Failed))]
    public async Task A_stream_whose_request_was_cancelled_is_aborted_in_every_format(string format, string wire, bool aborted)
    {
        _ = aborted;
        await using var bench = new StreamBench(Format(format));
        var items = new ScriptedItems();
        using var leaving = new CancellationTokenSource();
        var pumping = bench.Stream.PumpAsync(items, leaving.Token);
        items.Give(1);
        items.Give(2);
        await leaving.CancelAsync();
        items.Give(3);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await pumping);
        var cutting = bench.Stream.TryCutAsync(StreamBench.Problem);

        // Written bytes get a moment to be sent, and so does the problem as the last item.
        Assert.Equal(wire, bench.Output.Sent);
        Assert.False(bench.Output.IsAborted);
        bench.Advance(50);
        Assert.True(await cutting);
        Assert.True(bench.Output.IsAborted);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ndjson;weir=1")]
    public async Task A_request_that_was_cancelled_before_anything_was_sent_is_an_ordinary_response(string format)
    {
        await using var bench = new StreamBench(Format(format));
        var pumping = bench.Stream.PumpAsync(new ScriptedItems(), new CancellationToken(canceled: true));
        Assert.False(pumping.IsCompleted);
        Assert.False(await bench.Stream.TryCutAsync(StreamBench.Problem));
        Assert.Equal((0, "", false), (bench.Output.Commits, bench.Output.Sent, bench.Output.IsAborted));
    }

    [Fact]
    public async Task A_cancelled_stream_whose_reader_takes_nothing_is_aborted_after_a_second()
    {
        await using var bench = new StreamBench(Format("ndjson;weir=1"), options: new WeirServerOptions { ReaderStallTimeout = null });
        using var leaving = new CancellationTokenSource();
        await using var cancelled = new CancelledStream(bench.Stream, bench.Settings);
        cancelled.Watch(leaving.Token, leaving.Token);
        bench.Output.Close();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, leaving.Token);
        items.Give(1);
        await leaving.CancelAsync();
        bench.Advance(999);
        Assert.False(bench.Output.IsAborted);
        bench.Advance(1);
        Assert.True(bench.Output.IsAborted);
        await Assert.ThrowsAsync<ClientDisconnectedException>(async () => await pumping);
        Assert.Equal(TimeSpan.FromSeconds(1), cancelled.SinceThen());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_stream_is_shut_down_if_its_own_token_fires_before_that_of_its_request(bool isOwnFirst)
    {
        await using var bench = new StreamBench(Format("ndjson;weir=1"), options: new WeirServerOptions { ReaderStallTimeout = null });
        using var request = new CancellationTokenSource();
        using var own = CancellationTokenSource.CreateLinkedTokenSource(request.Token);
        await using var cancelled = new CancelledStream(bench.Stream, bench.Settings);
        cancelled.Watch(own.Token, request.Token);
        Assert.False(cancelled.IsShutDown);
        await (isOwnFirst ? own : request).CancelAsync();
        await request.CancelAsync();
        Assert.Equal(isOwnFirst, cancelled.IsShutDown);
    }

    [Fact]
    public async Task The_time_during_which_the_host_was_suspended_does_not_count_against_a_reader()
    {
        await using var bench = new StreamBench(Format("ndjson"), options: new WeirServerOptions { HeartbeatInterval = null, ReaderStallTimeout = TimeSpan.FromSeconds(30) });
        bench.Output.Close();
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, default);
        bench.Advance(10_000);
        items.Give(1);
        bench.Time.TimersAreLateBy = TimeSpan.FromMinutes(5);
        bench.Advance(20_000);
        bench.Time.TimersAreLateBy = TimeSpan.Zero;

        // The next check is due at 40 s and happens at 340 s; the reader gets its 30 s again, once.
        bench.Advance(10_000 + 300_000 + 29_999);
        Assert.False(bench.Output.IsAborted);
        bench.Advance(1);
        Assert.True(bench.Output.IsAborted);
        await Assert.ThrowsAsync<ClientDisconnectedException>(async () => await pumping);
    }

    [Fact]
    public async Task A_cancelled_stream_that_has_not_started_is_not_aborted_but_waits_for_its_producer()
    {
        await using var bench = new StreamBench(options: new WeirServerOptions { HeartbeatInterval = null });
        using var leaving = new CancellationTokenSource();
        await using var cancelled = new CancelledStream(bench.Stream, bench.Settings);
        cancelled.Watch(leaving.Token, leaving.Token);
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, leaving.Token);
        await leaving.CancelAsync();
        bench.Advance(10_000);
        Assert.False(bench.Output.IsAborted);
        items.Give(1);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await pumping);
        Assert.False(await bench.Stream.TryCutAsync(StreamBench.Problem));
    }

    [Fact]
    public async Task A_failure_that_the_client_cannot_read_any_more_causes_no_other_failure()
    {
        await using var bench = new StreamBench(Format("ndjson;weir=1"));
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        items.Fail(new InvalidOperationException());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await pumping);
        bench.Output.IsDisconnected = true;
        Assert.True(await bench.Stream.TryFailAsync(StreamBench.Problem));
        Assert.True(bench.Output.IsAborted);
    }

    private static async Task FailAfterTwoAsync(StreamBench bench, Action<ScriptedItems> fail)
    {
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        items.Give(2);
        fail(items);
        await Assert.ThrowsAnyAsync<Exception>(async () => await pumping);
        var failing = bench.Stream.TryFailAsync(StreamBench.Problem);
        bench.Advance(50);
        Assert.True(await failing);
    }

    [Theory]
    [InlineData("json", "[1,2]")]
    [InlineData("ndjson", "1\n2\n")]
    [InlineData("ndjson;weir=1", "1\n2\n{\"$weir\":{\"ok\":true,\"count\":9}}\n")]
    [InlineData("sse", "id: 7\ndata: 1\n\nid: 8\ndata: 2\n\nid: $end\nevent: end\ndata: {\"count\":9}\n\n")]
    [InlineData("sse of s", "id: s.7\ndata: 1\n\nid: s.8\ndata: 2\n\nid: $end\nevent: end\ndata: {\"count\":9}\n\n")]
    public async Task A_response_that_continues_a_stream_counts_on(string format, string wire)
    {
        await using var bench = new StreamBench(Format(format), first: static () => 7);
        await GiveTwoAsync(bench);
        await bench.Stream.CompleteAsync();
        Assert.Equal(wire, bench.Output.Sent);
    }

    [Theory]
    [InlineData("ndjson;weir=1", 0, "1\n2\n{\"$weir\":{\"retry\":700,\"index\":2}}\n")]
    [InlineData("sse", 7, "id: 7\ndata: 1\n\nid: 8\ndata: 2\n\nretry: 700\nid: 8\n\n")]
    [InlineData("sse of s", 0, "id: s.0\ndata: 1\n\nid: s.1\ndata: 2\n\nretry: 700\nid: s.1\n\n")]
    public async Task A_reader_is_asked_to_connect_again(string format, int first, string wire)
    {
        await using var bench = new StreamBench(Format(format), first: () => first);
        await GiveTwoAsync(bench);
        Assert.True(await bench.Stream.TryEndForRetryAsync(TimeSpan.FromMilliseconds(700)));
        Assert.Equal(wire, bench.Output.Sent);
        Assert.False(bench.Output.IsAborted);
    }

    [Theory]
    [InlineData("ndjson;weir=1", 0, "{\"$weir\":{\"retry\":700,\"index\":0}}\n")]
    [InlineData("sse", 0, "retry: 700\n\n")]
    [InlineData("sse", 7, "retry: 700\nid: 6\n\n")]
    [InlineData("sse of s", 0, "retry: 700\nid: s.-1\n\n")]
    public async Task A_reader_without_an_item_is_asked_to_connect_again(string format, int first, string wire)
    {
        await using var bench = new StreamBench(Format(format), first: () => first);
        Assert.True(await bench.Stream.TryEndForRetryAsync(TimeSpan.FromMilliseconds(700)));
        Assert.Equal(wire, bench.Output.Sent);
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ndjson")]
    public async Task A_format_that_cannot_ask_its_reader_to_connect_again_is_cut(string format)
    {
        await using var bench = new StreamBench(Format(format));
        Assert.False(await bench.Stream.TryEndForRetryAsync(TimeSpan.FromMilliseconds(700)));
        Assert.Equal(0, bench.Output.Commits);
    }

    [Theory]
    [InlineData("""{"$weir":1}""", true)]
    [InlineData("""{"a":[{"b":2}],"$weir":{"ok":true,"count":0}}""", true)]
    [InlineData("""{"\u0024weir":1}""", true)]
    [InlineData("""{"$w\u0065\u0069r":1}""", true)]
    [InlineData("""  { "$weir" : 1 }""", true)]
    [InlineData("""{"\u0024weir":""", true)]
    [InlineData("""{"$weir":""", true)]
    [InlineData("""{"a":{"$weir":1}}""", false)]
    [InlineData("""{"a":"$weir"}""", false)]
    [InlineData("""{"a":"\"$weir\":"}""", false)]
    [InlineData("""{"$Weir":1,"weir":2,"x$weir":3}""", false)]
    [InlineData("""[{"$weir":1}]""", false)]
    [InlineData("\"$weir\"", false)]
    [InlineData("1", false)]
    public void No_item_looks_like_the_end_of_the_stream(string item, bool isWrapped)
    {
        foreach (var (format, sent) in (ReadOnlySpan<(string, string)>)[("ndjson", item + "\n"), ("ndjson;weir=1", (isWrapped ? $"{{\"$weir\":{{\"item\":{item}}}}}" : item) + "\n")])
        {
            var bench = new StreamBench(Format(format));
            var items = new ScriptedItems();
            var pumping = bench.Stream.PumpAsync(items, CancellationToken.None).AsTask();
            items.Give(item);
            items.End();
            Assert.True(pumping.IsCompletedSuccessfully);
            Assert.StartsWith(sent, bench.Output.Sent, StringComparison.Ordinal);
        }
    }

    private static async Task GiveTwoAsync(StreamBench bench)
    {
        var items = new ScriptedItems();
        var pumping = bench.Stream.PumpAsync(items, CancellationToken.None);
        items.Give(1);
        items.Give(2);
        items.End();
        await pumping;
    }

    private static IStreamFormat Format(string name) => name switch
    {
        "json" => new JsonArrayFormat(),
        "sse" => new SseFormat(),
        "sse of s" => new SseFormat("s"),
        _ => new NdjsonFormat(MediaTypes.Ndjson, name.EndsWith("weir=1", StringComparison.Ordinal)),
    };
}
