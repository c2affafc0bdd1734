using System.Net;
using System.Text;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A cut is never taken for the end of a stream.</summary>
public sealed class InterruptionTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public Task At_random_cuts_every_item_before_the_cut_comes_once_and_the_next_one_is_named() => CutAsync(items: 2_000, cuts: 100, longest: 10_000);

    [Fact, Trait("Kind", "Long")]
    public Task At_a_thousand_random_cuts_of_a_million_items_there_is_no_false_end() => CutAsync(items: 1_000, cuts: 1_000, longest: 5_000);

    private async Task CutAsync(int items, int cuts, int longest)
    {
        var random = new Random(7);
        await using var proxy = new CuttingProxy(host.Address, () => (random.Next(1, longest), random.Next(2) == 0));
        var interrupted = 0;
        for (var cut = 0; cut < cuts; cut++)
        {
            using var http = new HttpClient { BaseAddress = proxy.Address };
            var next = 0;
            try
            {
                await foreach (var item in WeirClient.Create<IStreams>(http).Count(items, ct: Cancel))
                {
                    Assert.Equal(next++, item);
                }

                // The cut was behind the end.
                Assert.Equal(items, next);
            }
            catch (StreamInterruptedException error)
            {
                Assert.Equal(next, error.NextIndex);
                interrupted++;
            }
            catch (HttpRequestException)
            {
                // The cut was in the headers: no stream had begun.
                Assert.Equal(0, next);
            }
        }

        Assert.InRange(interrupted, cuts / 2, cuts);
    }

    [Theory]
    [InlineData("0\n1\n", 2, "without saying that it is complete")]
    [InlineData("0\n1", 1, "without saying that it is complete")]
    [InlineData("", 0, "without saying that it is complete")]
    [InlineData("0\n{\"$weir\":{\"ok\":true,\"count\":2}}\n", 1, "the server sent 2 items, and 1 arrived")]
    public async Task An_end_without_proof_is_an_interruption(string body, int nextIndex, string cause)
    {
        var error = await Assert.ThrowsAsync<StreamInterruptedException>(async () => await Answering(body).Count(9, ct: Cancel).ToListAsync(Cancel));
        Assert.Equal(nextIndex, error.NextIndex);
        Assert.Contains(cause, error.Message, StringComparison.Ordinal);
        Assert.Equal(WeirCodes.StreamInterrupted, error.Code);
    }

    [Theory]
    [InlineData("0\n{\"$weir\":{\"ok\":false}}\n")]
    [InlineData("0\n{\"$weir\":1}\n")]
    [InlineData("0\nx\n")]
    public async Task A_line_that_no_server_writes_is_refused(string body) =>
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(body).Count(9, ct: Cancel).ToListAsync(Cancel));

    [Fact]
    public async Task Heartbeats_are_no_items() =>
        Assert.Equal([0, 1], await Answering("\n\n0\n\n1\n\n{\"$weir\":{\"ok\":true,\"count\":2,\"later\":[1]}}\n").Count(9, ct: Cancel).ToListAsync(Cancel));

    [Fact]
    public async Task A_silent_response_is_given_up_and_the_operation_is_stopped()
    {
        var before = Streams.Stopped;
        var impatient = host.Client<IStreams>(new WeirClientOptions { IdleTimeout = TimeSpan.FromMilliseconds(300) });
        var error = await Assert.ThrowsAsync<StreamInterruptedException>(async () => await impatient.WaitAfter(2, Cancel).ToListAsync(Cancel));
        Assert.Equal(2, error.NextIndex);
        Assert.IsType<TimeoutException>(error.InnerException);
        await StreamTests.UntilAsync(() => Streams.Stopped > before);
    }

    [Fact]
    public async Task A_stream_may_last_longer_than_the_idle_timeout()
    {
        var impatient = host.Client<IStreams>(new WeirClientOptions { IdleTimeout = TimeSpan.FromMilliseconds(1500) });
        Assert.Equal(20, (await impatient.Count(20, 100, Cancel).ToListAsync(Cancel)).Count);
    }

    [Fact]
    public async Task A_result_that_is_read_as_a_stream_may_not_be_silent_either()
    {
        using var http = new HttpClient(new Stuck()) { BaseAddress = new Uri("http://localhost") };
        var values = WeirClient.Create<IValues>(http, new WeirClientOptions { IdleTimeout = TimeSpan.FromMilliseconds(50) });
        await using var body = await values.Echo(Stream.Null, Cancel);
        var error = await Assert.ThrowsAsync<TimeoutException>(async () => await body.CopyToAsync(Stream.Null, Cancel));
        Assert.Contains("WeirClientOptions.IdleTimeout", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_item_may_be_larger_than_any_buffer_and_the_limit_holds()
    {
        var text = new string('x', 300_000);
        var body = $"{{\"a\":\"{text}\"}}\n{{\"$weir\":{{\"ok\":true,\"count\":1}}}}\n";
        Assert.Equal(text, (await Answering(body).Marked(1, Cancel).SingleAsync(Cancel))["a"]);
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Answering(body, new WeirClientOptions { MaxItemBytes = 1000 }).Marked(1, Cancel).ToListAsync(Cancel));
    }

    private static IStreams Answering(string body, WeirClientOptions? options = null) =>
        WeirClient.Create<IStreams>(new HttpClient(new Fixed(body)) { BaseAddress = new Uri("http://localhost") }, options);

    private sealed class Fixed(string body) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            content.Headers.TryAddWithoutValidation("Content-Type", "application/x-ndjson; weir=1");
            return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = content });
        }
    }

    private sealed class Stuck : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = new StreamContent(new StuckBody()) });
    }

    // Nothing comes until it is disposed, as with a connection.
    private sealed class StuckBody : MemoryStream
    {
        private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await _disposed.Task.WaitAsync(cancellationToken);
            throw new ObjectDisposedException(nameof(StuckBody));
        }

        protected override void Dispose(bool disposing)
        {
            _disposed.TrySetResult();
            base.Dispose(disposing);
        }
    }
}
