using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.RequestStreams;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

/// <summary>A body that is content: its bytes are read as they arrive, and code that keeps a piece does not keep the body.</summary>
public sealed class PieceSplitterTests : IAsyncDisposable
{
    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 30_000;

    private readonly ManualTime _time = new();
    private readonly Pipe _body = new(new PipeOptions(readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, useSynchronizationContext: false, pauseWriterThreshold: 0));
    private readonly HttpItemReader _items;

    public PieceSplitterTests()
    {
        var http = new DefaultHttpContext();
        http.Features.Set<IRequestBodyPipeFeature>(new BodyFeature(_body.Reader));
        _items = new HttpItemReader(http, new PieceSplitter("scan"), new RequestSettings(new WeirServerOptions { SenderStallTimeout = TimeSpan.FromSeconds(30) }, _time));
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask DisposeAsync() => _items.DisposeAsync();

    [Fact]
    public void A_piece_is_what_has_arrived_and_at_most_64_KB()
    {
        using var splitter = new PieceSplitter("scan");
        var bytes = new ReadOnlySequence<byte>(new byte[150_000]);
        var lengths = new List<int>();
        while (splitter.TryTake(ref bytes))
        {
            lengths.Add(splitter.Current.Length);
        }

        Assert.Equal([65_536, 65_536, 18_928], lengths);
        Assert.False(splitter.TryEnd());
    }

    [Fact(Timeout = Limit)]
    public async Task Pieces_come_as_they_arrive_and_then_the_end()
    {
        await SendAsync([0xEF, 0xBB, 0xBF, (byte)' ']);
        Assert.True(await _items.MoveNextAsync(Cancel));
        Assert.Equal(ResultEncoding.Raw, _items.CurrentEncoding);
        Assert.Equal([0xEF, 0xBB, 0xBF, (byte)' '], _items.Current.ToArray());
        _items.Release();
        var waiting = _items.MoveNextAsync(Cancel).AsTask();
        Assert.False(waiting.IsCompleted);
        await SendAsync([1]);
        Assert.True(await waiting);
        _items.Release();
        await _body.Writer.CompleteAsync();
        Assert.False(await _items.MoveNextAsync(Cancel));
        await _items.DisposeAsync();
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Code_that_keeps_a_piece_does_not_keep_the_body(bool isPrefetched)
    {
        await SendAsync([1, 2, 3]);
        if (isPrefetched)
        {
            await _items.PrefetchAsync(TimeSpan.FromSeconds(1));
        }

        Assert.True(await _items.MoveNextAsync(Cancel));
        await _items.DisposeAsync();
        Assert.Equal([1, 2, 3], _items.Current.ToArray());
        await Assert.ThrowsAsync<InvalidOperationException>(() => _items.MoveNextAsync(Cancel).AsTask());
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_request_ends_while_its_first_piece_is_awaited(bool arrives)
    {
        await _items.PrefetchAsync(TimeSpan.Zero);
        if (arrives)
        {
            await SendAsync([1]);
        }

        await _items.DisposeAsync();
        await SendAsync([2]);
        Assert.True(_body.Reader.TryRead(out var read));
        Assert.Equal([2], read.Buffer.ToArray());
        _body.Reader.AdvanceTo(read.Buffer.End);
    }

    [Fact(Timeout = Limit)]
    public async Task A_body_that_is_cut_fails_and_does_not_end()
    {
        await SendAsync([1]);
        await _body.Writer.CompleteAsync(new BadHttpRequestException("Unexpected end of request content."));
        await using var content = ContentItems.ReceiveStream(_items);
        var failure = await Assert.ThrowsAsync<BadHttpRequestException>(async () =>
        {
            while (await content.ReadAsync(new byte[10], Cancel) > 0)
            {
            }
        });
        Assert.Equal("Unexpected end of request content.", failure.Message);
        await Assert.ThrowsAsync<BadHttpRequestException>(() => content.ReadAsync(new byte[10], Cancel).AsTask());
        await _items.DisposeAsync();
    }

    [Fact(Timeout = Limit)]
    public async Task A_sender_that_is_silent_is_stalled()
    {
        var waiting = _items.MoveNextAsync(Cancel).AsTask();
        _time.Advance(TimeSpan.FromSeconds(31));
        Assert.Contains("no byte of the body", (await Assert.ThrowsAsync<SenderStalledException>(() => waiting)).Message, StringComparison.Ordinal);
        await _items.DisposeAsync();
    }

    private async Task SendAsync(byte[] bytes) => await _body.Writer.WriteAsync(bytes, Cancel);

    private sealed class BodyFeature(PipeReader reader) : IRequestBodyPipeFeature
    {
        public PipeReader Reader => reader;
    }
}
