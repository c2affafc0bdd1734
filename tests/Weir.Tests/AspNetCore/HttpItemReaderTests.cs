using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.RequestStreams;

namespace Weir.Tests.AspNetCore;

/// <summary>How long the sender of a streamed request may take, by a clock that a test moves.</summary>
public sealed class HttpItemReaderTests : IAsyncDisposable
{
    private static readonly TimeSpan Stall = TimeSpan.FromSeconds(30);

    private readonly ManualTime _time = new() { TimersAreEarlyBy = TimeSpan.FromMilliseconds(3) };
    private readonly Pipe _body = new(new PipeOptions(readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, useSynchronizationContext: false));
    private readonly Lifetime _server;
    private readonly HttpItemReader _items;
    private readonly StreamedRequestLifetime _lifetime;

    public HttpItemReaderTests()
    {
        var http = new DefaultHttpContext();
        _server = new Lifetime(_body.Reader);
        http.Features.Set<IRequestBodyPipeFeature>(new BodyPipe(_body.Reader));
        var settings = new RequestSettings(new WeirServerOptions { SenderStallTimeout = Stall }, _time);
        _items = new HttpItemReader(http, new ItemSplitter(new LineFraming(), "items", settings.ItemLimit), settings);
        _lifetime = new StreamedRequestLifetime(_server, _items);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask DisposeAsync() => _items.DisposeAsync();

    [Theory]
    [InlineData("1")]
    [InlineData("\n")]
    public async Task A_sender_of_single_bytes_is_stalled(string piece)
    {
        var moving = _items.MoveNextAsync(Cancel).AsTask();
        for (var seconds = 0; seconds < 30; seconds += 10)
        {
            Assert.False(moving.IsCompleted);
            await SendAsync(piece);
            _time.Advance(TimeSpan.FromSeconds(10));
        }

        _time.Advance(TimeSpan.FromMilliseconds(10));
        await Assert.ThrowsAsync<SenderStalledException>(() => moving);
    }

    [Fact]
    public async Task A_slow_item_that_arrives_at_the_minimum_rate_is_not_stalled()
    {
        var moving = _items.MoveNextAsync(Cancel).AsTask();
        for (var seconds = 0; seconds < 300; seconds += 10)
        {
            await SendAsync(new string('1', 2401));
            _time.Advance(TimeSpan.FromSeconds(10));
            Assert.False(moving.IsCompleted);
        }

        await SendAsync("\n");
        Assert.True(await moving);
        Assert.Equal(30 * 2401, _items.Current.Length);
        _items.Release();
    }

    [Fact]
    public async Task Each_item_has_the_full_timeout()
    {
        for (var i = 0; i < 5; i++)
        {
            var moving = _items.MoveNextAsync(Cancel).AsTask();
            _time.Advance(TimeSpan.FromSeconds(29));
            Assert.False(moving.IsCompleted);
            await SendAsync($"{i}\n");
            Assert.True(await moving);
            _items.Release();
            _time.Advance(TimeSpan.FromHours(1));
        }
    }

    [Fact]
    public async Task A_token_ends_the_wait_and_leaves_the_body_to_the_server()
    {
        using var source = new CancellationTokenSource();
        var moving = _items.MoveNextAsync(source.Token).AsTask();
        await source.CancelAsync();
        Assert.Equal(source.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => moving)).CancellationToken);
        await _items.DisposeAsync();
        await SendAsync("1\n");
        Assert.True(_body.Reader.TryRead(out var read));
        Assert.Equal("1\n", Encoding.UTF8.GetString(read.Buffer));
        _body.Reader.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task The_first_item_is_awaited_for_a_second_before_a_worker_is_requested()
    {
        var waiting = _items.PrefetchAsync(RequestSettings.FirstItemWait).AsTask();
        await SendAsync("1");
        _time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.False(waiting.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.2));
        await waiting;
        var moving = _items.MoveNextAsync(Cancel).AsTask();
        Assert.False(moving.IsCompleted);
        await SendAsync("2\n3\n");
        Assert.True(await moving);
        Assert.Equal("12", Encoding.UTF8.GetString(_items.Current.Span));
        _items.Release();
        Assert.True(await _items.MoveNextAsync(Cancel));
        Assert.Equal("3", Encoding.UTF8.GetString(_items.Current.Span));
        _items.Release();
    }

    [Theory]
    [InlineData("1\n2\n")]
    [InlineData("")]
    public async Task A_first_item_that_has_arrived_or_will_never_arrive_causes_no_wait(string body)
    {
        await SendAsync(body);
        await _body.Writer.CompleteAsync();
        await _items.PrefetchAsync(RequestSettings.FirstItemWait);
        Assert.Equal(0, _time.ActiveTimers);
        Assert.Equal(body.Length > 0, await _items.MoveNextAsync(Cancel));
        _items.Release();
    }

    [Theory]
    [InlineData("")]
    [InlineData("1")]
    [InlineData("1\n2")]
    public async Task A_first_item_that_was_not_requested_does_not_prevent_the_request_from_completing(string body)
    {
        await SendAsync(body);
        await _items.PrefetchAsync(TimeSpan.Zero);
        await _items.DisposeAsync();
        await SendAsync("\n");
        Assert.True(_body.Reader.TryRead(out var read));
        _body.Reader.AdvanceTo(read.Buffer.End);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _items.MoveNextAsync(Cancel));
    }

    [Fact]
    public async Task A_token_ends_the_wait_for_a_first_item_too()
    {
        await _items.PrefetchAsync(TimeSpan.Zero);
        using var source = new CancellationTokenSource();
        var moving = _items.MoveNextAsync(source.Token).AsTask();
        Assert.False(moving.IsCompleted);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => moving);
    }

    [Fact]
    public async Task An_abort_between_two_items_returns_the_body_first()
    {
        await SendAsync("1\n2\n");
        Assert.True(await _items.MoveNextAsync(Cancel));
        _items.Release();
        _lifetime.Abort();
        Assert.True(_server.IsAborted);
        await Assert.ThrowsAsync<SenderDisconnectedException>(async () => await _items.MoveNextAsync(Cancel));
        Assert.False(_body.Reader.TryRead(out _));
    }

    [Fact]
    public async Task An_abort_while_an_item_is_parsed_waits_until_it_was_read()
    {
        await SendAsync("1\n2\n");
        Assert.True(await _items.MoveNextAsync(Cancel));
        _lifetime.Abort();
        Assert.False(_server.IsAborted);
        var ending = _items.DisposeAsync().AsTask();
        Assert.False(ending.IsCompleted);
        Assert.Equal("1", Encoding.UTF8.GetString(_items.Current.Span));
        _items.Release();
        await ending;
        Assert.True(_server.IsAborted);
    }

    [Fact]
    public async Task An_abort_ends_the_wait_for_an_item()
    {
        await SendAsync("1");
        var moving = _items.MoveNextAsync(Cancel).AsTask();
        _lifetime.Abort();
        await Assert.ThrowsAsync<SenderDisconnectedException>(() => moving);
        await _items.DisposeAsync();
        Assert.True(_server.IsAborted);
    }

    [Theory]
    [InlineData("")]
    [InlineData("1")]
    [InlineData("1\n2")]
    public async Task An_abort_returns_a_body_whose_first_item_was_read_early(string body)
    {
        await SendAsync(body);
        await _items.PrefetchAsync(TimeSpan.Zero);
        _lifetime.Abort();
        await _items.DisposeAsync();
        Assert.True(_server.IsAborted);
    }

    [Fact]
    public async Task An_abort_after_the_call_is_handled_by_the_server()
    {
        await SendAsync("1\n2\n");
        Assert.True(await _items.MoveNextAsync(Cancel));
        _items.Release();
        await _items.DisposeAsync();
        Assert.False(_server.IsAborted);
        _lifetime.Abort();
        Assert.True(_server.IsAborted);
    }

    [Fact]
    public async Task A_body_that_arrived_when_its_token_fired_is_consumed_at_the_end()
    {
        using var source = new CancellationTokenSource();
        await SendAsync("1\n");
        _body.Reader.CancelPendingRead();
        var moving = _items.MoveNextAsync(source.Token).AsTask();
        Assert.True(await moving);
        _items.Release();
        moving = _items.MoveNextAsync(source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => moving);
        await _items.DisposeAsync();
        Assert.False(_body.Reader.TryRead(out _));
    }

    private async Task SendAsync(string text)
    {
        if (text.Length > 0)
        {
            await _body.Writer.WriteAsync(Encoding.UTF8.GetBytes(text), Cancel);
        }
    }

    private sealed class BodyPipe(PipeReader reader) : IRequestBodyPipeFeature
    {
        public PipeReader Reader => reader;
    }
    // Like Kestrel's body: after an abort nothing can be returned any more.
    private sealed class Lifetime(PipeReader body) : IHttpRequestLifetimeFeature
    {
        public bool IsAborted { get; private set; }

        public CancellationToken RequestAborted { get; set; }

        public void Abort()
        {
            // Throws where a read is in progress.
            if (body.TryRead(out var read))
            {
                body.AdvanceTo(read.Buffer.Start);
            }

            IsAborted = true;
        }
    }
}
