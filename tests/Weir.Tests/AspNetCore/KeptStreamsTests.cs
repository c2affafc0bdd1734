using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

public sealed class KeptStreamsTests : IDisposable
{
    private static readonly StreamKey Key = Of("/a", "1");

    private readonly ManualTime _time = new();
    private readonly WeirServerOptions _options = new() { ResumeBufferSize = 16 * 1024, ResumeMemoryLimit = 32 * 1024 };
    private readonly ShutdownCut _shutdown;
    private readonly KeptStreams _streams;

    public KeptStreamsTests()
    {
        _shutdown = new ShutdownCut(Options.Create(new HostOptions()), _time, NullLoggerFactory.Instance);
        _streams = new KeptStreams(Options.Create(_options), _time, _shutdown, static () => []);
    }

    public void Dispose()
    {
        _streams.Dispose();
        _shutdown.Dispose();
    }

    [Fact]
    public async Task A_reader_continues_where_it_was_and_displaces_the_one_before()
    {
        var (stream, reader, items) = Begin();
        items.Give(0);
        items.Give(1);
        Assert.Equal(["0", "1"], [await NextAsync(reader), await NextAsync(reader)]);
        Assert.Equal(Attachment.Attached, _streams.TryAttach(stream.Id, Key, 1, out _, out var second));
        Assert.True(reader.IsDisplaced);
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await reader.MoveNextAsync());
        Assert.Equal("1", await NextAsync(second!));

        // The response of the earlier one ends later, and changes nothing.
        _streams.Release(stream, reader, isKnown: true);
        Assert.True(stream.IsAttached);
        items.Give(2);
        Assert.Equal("2", await NextAsync(second!));
        items.End();
        Assert.False(await second!.MoveNextAsync());
        _streams.Release(stream, second, isKnown: true);
    }

    [Fact]
    public async Task A_window_ends_the_call_and_is_remembered()
    {
        var (stream, reader, items) = Begin();
        items.Give(0);
        Assert.Equal("0", await NextAsync(reader));
        _streams.Release(stream, reader, isKnown: true);
        _time.Advance(_options.ResumeWindow - TimeSpan.FromMilliseconds(1));
        Assert.Equal(Attachment.Attached, _streams.TryAttach(stream.Id, Key, 1, out _, out var second));
        _time.Advance(_options.ResumeWindow * 2);
        Assert.False(stream.Token.IsCancellationRequested);
        _streams.Release(stream, second!, isKnown: true);
        _time.Advance(_options.ResumeWindow);
        Assert.True(stream.Token.IsCancellationRequested);
        Assert.Equal(Attachment.Gone, _streams.TryAttach(stream.Id, Key, 1, out _, out _));
        Assert.Equal(Attachment.Unknown, _streams.TryAttach(stream.Id, Of("/a", "2"), 1, out _, out _));
        Assert.Equal((0, 0, 0), (_streams.Count, _streams.Bytes, _time.ActiveTimers));
    }

    [Fact]
    public void A_stream_whose_client_does_not_know_its_id_ends_with_its_reader()
    {
        var (stream, reader, _) = Begin();
        _streams.Release(stream, reader, isKnown: false);
        Assert.True(stream.Token.IsCancellationRequested);
        Assert.Equal(Attachment.Unknown, _streams.TryAttach(stream.Id, Key, 0, out _, out _));
        Assert.Equal((0, 0), (_streams.Count, _streams.Bytes));
    }

    [Fact]
    public async Task Another_caller_path_or_id_finds_no_stream()
    {
        var (stream, reader, items) = Begin();
        items.Give(0);
        Assert.Equal("0", await NextAsync(reader));
        foreach (var key in (StreamKey[])[Of("/a", "2"), Of("/a", null), Of("/b", "1"), Of("/a?x=1", "1")])
        {
            Assert.Equal(Attachment.Unknown, _streams.TryAttach(stream.Id, key, 1, out _, out _));
        }

        Assert.Equal(Attachment.Unknown, _streams.TryAttach(StreamId.Create(), Key, 1, out _, out _));
        Assert.Equal(Attachment.NeverSent, _streams.TryAttach(stream.Id, Key, 2, out _, out _));
        Assert.False(reader.IsDisplaced);
        _streams.Release(stream, reader, isKnown: false);
    }

    [Fact]
    public async Task A_producer_waits_while_no_reader_takes_what_it_made()
    {
        var (stream, reader, items) = Begin();
        var given = GiveUntilFull(items);
        for (var i = 0; i < given - 1; i++)
        {
            Assert.Equal(Text(i), await NextAsync(reader));
        }

        Assert.False(items.IsRequested);
        reader.OnSent(given / 2);
        await items.RequestedAsync();

        // Without a reader nothing is dropped, whether it was sent or not.
        _streams.Release(stream, reader, isKnown: true);
        var all = given + GiveUntilFull(items);
        Assert.Equal(Attachment.Attached, _streams.TryAttach(stream.Id, Key, 1, out _, out var second));
        var read = 1;
        for (var round = 0; round < 10; round++)
        {
            // The producer waits with the last one that it made.
            for (; read < all - 1; read++)
            {
                await NextAsync(second!);
            }

            second!.OnSent(read);
            await items.RequestedAsync();
            all += GiveUntilFull(items);
            Assert.InRange(_streams.Bytes, 1, _options.ResumeBufferSize + KeptStreams.StreamCost);
        }

        Assert.Equal(Attachment.Gone, _streams.TryAttach(stream.Id, Key, 1, out _, out _));
        Assert.Equal(Attachment.Attached, _streams.TryAttach(stream.Id, Key, all - 60, out _, out second));
        _streams.Release(stream, second!, isKnown: false);
        Assert.Equal(0, _streams.Bytes);
    }

    [Fact]
    public async Task What_was_sent_and_did_not_arrive_is_kept_for_the_next_reader()
    {
        var (stream, reader, items) = Begin();
        var given = GiveUntilFull(items);
        reader.OnSent(given - 1);
        await items.RequestedAsync();
        Assert.Equal(Attachment.Attached, _streams.TryAttach(stream.Id, Key, given / 2, out _, out var second));
        GiveUntilFull(items);

        // The earlier response reports what it sent later.
        reader.OnSent(given);
        for (var i = given / 2; i < given; i++)
        {
            Assert.Equal(Text(i), await NextAsync(second!));
        }

        _streams.Release(stream, second!, isKnown: false);
    }

    [Fact]
    public async Task A_full_memory_gives_up_complete_streams_first_then_the_longest_left_and_never_one_with_a_reader()
    {
        using var shutdown = new ShutdownCut(Options.Create(new HostOptions()), _time, NullLoggerFactory.Instance);
        using var streams = new KeptStreams(Options.Create(new WeirServerOptions { ResumeBufferSize = 16 * 1024, ResumeMemoryLimit = 48 * 1024 }), _time, shutdown, static () => []);
        var kept = new List<(KeptStream Stream, KeptReader Reader, ScriptedItems Items)>();
        for (var i = 0; i < 4; i++)
        {
            var one = Begin(streams, $"caller {i}")!.Value;
            one.Items.Give(0);
            Assert.Equal("0", await NextAsync(one.Reader));
            kept.Add(one);
        }

        // 0 has a reader; 1 and 2 run without one; 3 is left last, and is complete.
        streams.Release(kept[1].Stream, kept[1].Reader, isKnown: true);
        streams.Release(kept[2].Stream, kept[2].Reader, isKnown: true);
        kept[3].Items.End();
        Assert.False(await kept[3].Reader.MoveNextAsync());
        streams.Release(kept[3].Stream, kept[3].Reader, isKnown: true);

        var gone = new List<int>();
        for (var round = 0; round < 8; round++)
        {
            var begun = Begin(streams, "new");
            for (var i = 0; i < kept.Count; i++)
            {
                if (kept[i].Stream.Token.IsCancellationRequested && !gone.Contains(i))
                {
                    gone.Add(i);
                }
            }

            if (begun is null)
            {
                break;
            }
        }

        Assert.Equal([3, 1, 2], gone);
        Assert.Null(Begin(streams, "new"));
        Assert.False(kept[0].Reader.IsDisplaced);
        Assert.InRange(streams.Bytes, 1, 48 * 1024);
    }

    [Fact]
    public async Task A_caller_with_more_than_its_share_gives_way_before_one_that_left_earlier()
    {
        using var shutdown = new ShutdownCut(Options.Create(new HostOptions()), _time, NullLoggerFactory.Instance);
        using var streams = new KeptStreams(Options.Create(new WeirServerOptions { ResumeBufferSize = 16 * 1024, ResumeMemoryLimit = 1024 * 1024 }), _time, shutdown, static () => []);
        var cut = Begin(streams, "phone")!.Value;
        cut.Items.Give(0);
        Assert.Equal("0", await NextAsync(cut.Reader));
        streams.Release(cut.Stream, cut.Reader, isKnown: true);

        // One caller begins stream after stream and leaves each: none is refused, and its own give way.
        for (var i = 0; i < 500; i++)
        {
            var (stream, reader, items) = Begin(streams, "flood")!.Value;
            streams.Release(stream, reader, isKnown: true);
            GiveUntilFull(items);
        }

        Assert.Equal(Attachment.Attached, streams.TryAttach(cut.Stream.Id, Key, 1, out _, out _));
        Assert.InRange(streams.Bytes, 1, 1024 * 1024);
        Assert.NotNull(Begin(streams, "another"));
        Assert.False(cut.Stream.Token.IsCancellationRequested);
    }

    [Fact]
    public void Isolated_streams_without_a_reader_hold_a_share_of_a_pool_and_give_way_when_calls_wait()
    {
        var queued = 0;
        using var shutdown = new ShutdownCut(Options.Create(new HostOptions()), _time, NullLoggerFactory.Instance);
        using var streams = new KeptStreams(Options.Create(new WeirServerOptions()), _time, shutdown, () => [new PoolSnapshot("four", 0, 4, 8, queued, 0, false, "", []), new PoolSnapshot("one", 0, 1, 8, 0, 0, false, "", [])]);
        var left = new List<KeptStream>();
        foreach (var pool in (string[])["Four", "four", "four", "one"])
        {
            var (stream, reader, _) = Begin(streams, "caller", pool)!.Value;
            streams.Release(stream, reader, isKnown: true);
            left.Add(stream);
        }

        bool[] Ended() => [.. left.Select(static one => one.Token.IsCancellationRequested)];

        // Half of four workers, and at least one.
        Assert.Equal([true, false, false, false], Ended());
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal([true, false, false, false], Ended());

        // Calls that wait for a moment only are no reason.
        queued = 1;
        _time.Advance(LeftInPools.Interval);
        queued = 0;
        _time.Advance(LeftInPools.Interval);
        Assert.Equal([true, false, false, false], Ended());
        queued = 1;
        _time.Advance(LeftInPools.Interval);
        _time.Advance(LeftInPools.Interval);
        Assert.Equal([true, true, false, false], Ended());
        _time.Advance(LeftInPools.Interval);
        Assert.Equal([true, true, true, false], Ended());
        Assert.Equal(Attachment.Gone, streams.TryAttach(left[0].Id, Key, 0, out _, out _));

        // A stream that has a reader again holds its place, and without such streams nothing is looked at.
        Assert.Equal(Attachment.Attached, streams.TryAttach(left[3].Id, Key, 0, out _, out _));
        _time.Advance(LeftInPools.Interval);
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void A_full_memory_is_reported_once_in_a_while()
    {
        while (Begin(_streams, "one") is not null)
        {
        }

        Assert.True(_streams.TryReportFull());
        Assert.False(_streams.TryReportFull());
        _time.Advance(TimeSpan.FromSeconds(11));
        Assert.True(_streams.TryReportFull());
    }

    [Theory]
    [InlineData("10.1.2.3", "::ffff:10.1.2.3", true)]
    [InlineData("10.1.2.3", "10.1.2.4", false)]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true)]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:3::1", false)]
    public void An_anonymous_caller_is_its_address_and_of_IPv6_its_network(string one, string other, bool isSame)
    {
        Assert.Equal(isSame, Name(one, null) == Name(other, null));
        Assert.NotEqual(Name(one, null), Name(one, "u"));
        Assert.Equal(Name(one, "u"), Name(other, "u"));

        static string Name(string address, string? user)
        {
            var http = new DefaultHttpContext { User = new ClaimsPrincipal(user is null ? new ClaimsIdentity() : new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, user)], "Test")) };
            http.Connection.RemoteIpAddress = System.Net.IPAddress.Parse(address);
            return StreamCaller.NameOf(http);
        }
    }

    [Fact]
    public async Task A_host_that_stops_ends_the_streams_without_a_reader()
    {
        var (left, reader, items) = Begin();
        items.Give(0);
        Assert.Equal("0", await NextAsync(reader));
        _streams.Release(left, reader, isKnown: true);
        var (attached, second, _) = Begin();
        _shutdown.Begin();
        Assert.True(left.Token.IsCancellationRequested);
        Assert.False(attached.Token.IsCancellationRequested);
        _streams.Release(attached, second, isKnown: true);
        Assert.True(attached.Token.IsCancellationRequested);
        Assert.Equal((0, 0), (_streams.Count, _streams.Bytes));
    }

    [Fact]
    public void An_authenticated_caller_without_a_name_has_no_key()
    {
        Assert.Null(Principal(new ClaimsIdentity("Test")));
        Assert.Null(Principal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "")], "Test")));
        var keys = new[]
        {
            Principal(new ClaimsIdentity()),
            Principal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "a")], "Test")),
            Principal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "a", null, "other")], "Test")),
            Principal(new ClaimsIdentity([new Claim("sub", "a")], "Test")),
            Principal(new ClaimsIdentity([new Claim(ClaimTypes.Name, "a")], "Test")),
        };
        Assert.Equal(keys.Length, keys.Distinct().Count(static one => one is not null));

        // What an identity that is not authenticated claims does not count.
        Assert.Equal(keys[0], Principal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "a")])));
    }

    [Theory]
    [InlineData("0123456789abcdef0123456789abcdef.7", true)]
    [InlineData("0123456789ABCDEF0123456789abcdef.7", false)]
    [InlineData("0123456789abcdef0123456789abcdef.", false)]
    [InlineData("0123456789abcdef0123456789abcdef", false)]
    [InlineData("+123456789abcdef0123456789abcdef.7", false)]
    [InlineData("0123456789abcdef0123456789abcdef7.7", false)]
    [InlineData("", false)]
    public void An_id_has_one_form(string text, bool isId)
    {
        Assert.Equal(isId, StreamId.TryParse(text, out var id, out var index));
        if (isId)
        {
            Assert.Equal(text, $"{id}.{index}");
        }
    }

    private static StreamKey Of(string target, string? user)
    {
        var parts = target.Split('?');
        var http = new DefaultHttpContext();
        http.Request.Path = parts[0];
        http.Request.QueryString = new QueryString(parts.Length > 1 ? "?" + parts[1] : "");
        http.User = new ClaimsPrincipal(user is null ? new ClaimsIdentity() : new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, user)], "Test"));
        return StreamKey.Of(http)!;
    }

    private static StreamKey? Principal(ClaimsIdentity identity) => StreamKey.Of(new DefaultHttpContext { User = new ClaimsPrincipal(identity) });

    private static string Text(long index) => $"\"{index}{new string('x', 100)}\"";

    private static async Task<string> NextAsync(KeptReader reader)
    {
        Assert.True(await reader.MoveNextAsync());
        using var output = new PayloadWriter();
        reader.WriteCurrent(output);
        return System.Text.Encoding.UTF8.GetString(output.WrittenSpan);
    }

    // The producer runs inline: it has taken an item when the call returns, or waits.
    private static int GiveUntilFull(ScriptedItems items)
    {
        var given = 0;
        while (items.IsRequested)
        {
            items.Give(Text(given++));
            Assert.InRange(given, 1, 10_000);
        }

        return given;
    }

    private (KeptStream Stream, KeptReader Reader, ScriptedItems Items) Begin() => Begin(_streams, "caller")!.Value;

    private (KeptStream Stream, KeptReader Reader, ScriptedItems Items)? Begin(KeptStreams streams, string caller, string? pool = null)
    {
        var items = new ScriptedItems();
        var operation = new Operation { Name = "Numbers", Verbs = Verbs.Get, ResultKind = ResultKind.Stream, Signature = 1, Placement = pool is null ? Placement.Inline : Placement.Isolated, Pool = pool, CreateCall = static one => new NoCall(one) };
        _ = new Service { Name = "Probe", TypeName = "Probe", CreateInstance = static _ => new object(), Operations = [operation] };
        var begun = new TaskCompletionSource();
        if (streams.TryBegin(caller, (StreamCall)operation.RentCall(), Key, new StreamSettings(_options, _time) { IsThreadWanted = static () => false }, one =>
        {
            var running = one.RunAsync(new ScriptedPipeline(items), new CallRequest { CancellationToken = one.Token });
            begun.SetResult();
            return running;
        }) is not var (stream, reader))
        {
            return null;
        }

        begun.Task.Wait(TestContext.Current.CancellationToken);
        return (stream, reader, items);
    }

    private sealed class ScriptedPipeline(ScriptedItems items) : CallPipeline
    {
        public override ValueTask RunAsync(Call call, in CallRequest request) => throw new NotSupportedException();

        public override ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) => pump.PumpAsync(items, request.CancellationToken);
    }

    private sealed class NoCall(Operation operation) : StreamCall<int>(operation)
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => throw new NotSupportedException();

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override void WriteItem(PayloadWriter output, int item) => throw new NotSupportedException();

        public override int ReadItem(ReadOnlySpan<byte> item) => throw new NotSupportedException();
    }
}
