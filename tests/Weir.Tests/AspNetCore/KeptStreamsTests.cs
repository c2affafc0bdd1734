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
        _streams = new KeptStreams(Options.Create(_options), _time, _shutdown);
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
            Assert.InRange(_streams.Bytes, 1, _options.ResumeBufferSize + 1024);
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
    public async Task A_full_memory_gives_up_complete_streams_first_and_then_rejects_new_ones()
    {
        var kept = new List<(KeptStream Stream, KeptReader Reader, ScriptedItems Items)>();
        for (var i = 0; i < 3; i++)
        {
            var one = Begin();
            one.Items.Give(0);
            Assert.Equal("0", await NextAsync(one.Reader));
            kept.Add(one);
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        // The first one is complete and its reader gone; of the others one has a reader, and one runs.
        kept[0].Items.End();
        Assert.False(await kept[0].Reader.MoveNextAsync());
        _streams.Release(kept[0].Stream, kept[0].Reader, isKnown: true);
        _streams.Release(kept[1].Stream, kept[1].Reader, isKnown: true);
        GiveUntilFull(kept[1].Items);
        GiveUntilFull(kept[2].Items);
        var (_, last, _) = Begin();
        Assert.Equal(Attachment.Gone, _streams.TryAttach(kept[0].Stream.Id, Key, 1, out _, out _));
        Assert.Equal(3, _streams.Count);
        var rejected = Assert.Throws<CallRejectedException>(() =>
        {
            for (var i = 0; i < 32; i++)
            {
                Begin();
            }
        });
        Assert.Equal("WEIR2025", rejected.Code);
        Assert.Contains("WeirServerOptions.ResumeMemoryLimit is 32768", rejected.Message, StringComparison.Ordinal);
        Assert.InRange(_streams.Bytes, 1, 33 * 1024);
        Assert.False(last.IsDisplaced);
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

    private (KeptStream Stream, KeptReader Reader, ScriptedItems Items) Begin()
    {
        var items = new ScriptedItems();
        var operation = new Operation { Name = "Numbers", Verbs = Verbs.Get, ResultKind = ResultKind.Stream, Signature = 1, CreateCall = static one => new NoCall(one) };
        _ = new Service { Name = "Probe", TypeName = "Probe", CreateInstance = static _ => new object(), Operations = [operation] };
        var begun = new TaskCompletionSource();
        var (stream, reader) = _streams.Begin((StreamCall)operation.RentCall(), Key, new StreamSettings(_options, _time) { IsThreadWanted = static () => false }, stream =>
        {
            var running = stream.RunAsync(new ScriptedPipeline(items), new CallRequest { CancellationToken = stream.Token });
            begun.SetResult();
            return running;
        });
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
