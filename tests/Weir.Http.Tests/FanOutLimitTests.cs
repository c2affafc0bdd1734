using System.Net;
using System.Net.Http.Headers;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http.Resilience;
using Polly;
using Weir.Tests;

namespace Weir.Http.Tests;

/// <summary>Limits of existing clients, delays that servers ask for, equal requests, and repeated ones.</summary>
public sealed class FanOutLimitTests : IAsyncDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly ManualTime _time = new();
    private readonly ServiceCollection _services = new();
    private ServiceProvider? _provider;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask DisposeAsync()
    {
        if (_provider is not null)
        {
            await _provider.DisposeAsync();
        }
    }

    [Fact]
    public async Task Requests_of_existing_code_beyond_the_limit_wait_until_others_are_read()
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 2);
        var (one, two) = (Client(), Client());
        var streamed = one.GetAsync("/a", HttpCompletionOption.ResponseHeadersRead, Cancel);
        var buffered = two.GetStringAsync("/b", Cancel);
        await _server.ArriveAsync(2);
        var third = two.GetStringAsync("/c", Cancel);
        _server.Answer("/a", "first");
        using var response = await streamed;
        Assert.Equal(["/a", "/b"], _server.Arrived.Order());

        Assert.Equal("first", await response.Content.ReadAsStringAsync(Cancel));
        await _server.ArriveAsync(1);
        Assert.Equal("/c", _server.Arrived.Last());
        _server.Answer("/b");
        _server.Answer("/c", "third");
        await buffered;
        Assert.Equal("third", await third);
    }

    [Fact]
    public async Task A_response_that_is_disposed_unread_or_a_request_that_fails_gives_its_place_to_the_next()
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        var client = Client();
        _server.Answer("/a", "unread");
        (await client.GetAsync("/a", HttpCompletionOption.ResponseHeadersRead, Cancel)).Dispose();
        _server.Fail("/b", new HttpRequestException("refused"));
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetStringAsync("/b", Cancel));
        _server.Answer("/c", "sent");
        Assert.Equal("sent", await client.GetStringAsync("/c", Cancel));
    }

    [Fact]
    public async Task A_request_that_is_cancelled_while_it_waits_is_not_sent()
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        var client = Client();
        var first = client.GetStringAsync("/a", Cancel);
        await _server.ArriveAsync(1);
        using var stop = new CancellationTokenSource();
        var waiting = client.GetStringAsync("/b", stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        _server.Answer("/a");
        await first;
        _server.Answer("/c");
        await client.GetStringAsync("/c", Cancel);
        Assert.Equal(["/a", "/c"], _server.Arrived);
    }

    [Fact]
    public async Task A_request_that_waits_when_the_services_end_fails()
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        var client = Client();
        _ = client.GetStringAsync("/a", Cancel);
        await _server.ArriveAsync(1);
        var waiting = client.GetStringAsync("/b", Cancel);
        await _provider!.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
    }

    [Fact]
    public void Limits_out_of_range_and_a_second_call_are_refused_when_the_client_is_registered()
    {
        var clients = Limited();
        Assert.Throws<ArgumentOutOfRangeException>(() => clients.AddFanOutLimits(limits => limits.MaxConcurrency = 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => clients.AddFanOutLimits(limits => limits.MaxRetryAfter = TimeSpan.FromSeconds(-1)));
        clients.AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        Assert.Contains("'legacy'", Assert.Throws<InvalidOperationException>(() => clients.AddFanOutLimits(limits => limits.MaxConcurrency = 1)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("seconds")]
    [InlineData("date")]
    public async Task Retry_After_delays_all_further_requests_to_its_host_and_none_to_others(string form)
    {
        using var client = new HttpClient(_server);
        Uri[] addresses = [new("http://busy/1"), new("http://busy/2"), new("http://other/1")];
        await using var results = client.SendAllAsync(addresses, new FanOutOptions { MaxPerHost = 1, TimeProvider = _time }, Cancel).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync();
        await _server.ArriveAsync(2);
        var delay = form == "seconds" ? new RetryConditionHeaderValue(TimeSpan.FromSeconds(7)) : new RetryConditionHeaderValue(_time.GetUtcNow().AddSeconds(7));
        _server.Answer("busy/1", Refusal(HttpStatusCode.TooManyRequests, delay));
        Assert.True(await first);
        Assert.Equal(HttpStatusCode.TooManyRequests, results.Current.Response!.StatusCode);
        _server.Answer("other/1");
        Assert.True(await results.MoveNextAsync());
        Assert.Equal(2, results.Current.Index);

        _server.Answer("busy/2");
        var last = results.MoveNextAsync();
        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.DoesNotContain("busy/2", _server.Arrived);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(await last);
        Assert.Equal(TimeSpan.FromSeconds(7), results.Current.Timing.Queued);
        Assert.False(await results.MoveNextAsync());
    }

    [Fact]
    public async Task A_longer_Retry_After_than_allowed_is_shortened_and_zero_ignores_it()
    {
        foreach (var longest in (TimeSpan[])[TimeSpan.Zero, TimeSpan.FromSeconds(5)])
        {
            using var server = new ScriptedServer();
            using var client = new HttpClient(server);
            Uri[] addresses = [new("http://busy/1"), new("http://busy/2")];
            server.Answer("busy/1", Refusal(HttpStatusCode.ServiceUnavailable, new RetryConditionHeaderValue(TimeSpan.FromDays(300))));
            server.Answer("busy/2");
            await using var results = client.SendAllAsync(addresses, new FanOutOptions { MaxConcurrency = 1, MaxRetryAfter = longest, TimeProvider = _time }, Cancel).GetAsyncEnumerator(Cancel);
            Assert.True(await results.MoveNextAsync());
            var second = results.MoveNextAsync();
            _time.Advance(longest);
            Assert.True(await second);
        }
    }

    [Fact]
    public async Task An_adaptive_fan_out_begins_with_ten_requests_and_has_fewer_in_flight_after_a_refusal()
    {
        using var client = new HttpClient(_server) { BaseAddress = new Uri("http://host/") };
        var addresses = Enumerable.Range(0, 30).Select(static i => new Uri($"/{i}", UriKind.Relative));
        await using var results = client.SendAllAsync(addresses, new FanOutOptions { IsAdaptive = true, TimeProvider = _time }, Cancel).GetAsyncEnumerator(Cancel);
        var next = results.MoveNextAsync();
        await _server.ArriveAsync(10);
        _server.Answer("/0", Refusal(HttpStatusCode.ServiceUnavailable, null));
        Assert.True(await next);

        // Five of the ten places are gone: the next request is sent when five others have ended.
        for (var i = 1; i <= 4; i++)
        {
            _server.Answer($"/{i}");
            Assert.True(await results.MoveNextAsync());
        }

        Assert.Equal(10, _server.Arrived.Count);
        _server.Answer("/5");
        Assert.True(await results.MoveNextAsync());
        await _server.ArriveAsync(1);
        Assert.Equal("/10", _server.Arrived.Last());
    }

    [Fact]
    public async Task Equal_requests_are_sent_once_and_the_later_ones_name_the_first()
    {
        using var client = new HttpClient(_server) { BaseAddress = new Uri("http://host/") };
        HttpRequestMessage[] requests =
        [
            new(HttpMethod.Get, "/a"), new(HttpMethod.Get, "http://HOST/a#part"), new(HttpMethod.Head, "/a"), new(HttpMethod.Post, "/a"), new(HttpMethod.Post, "/a"),
            new(HttpMethod.Get, "/a?b=1"), new(HttpMethod.Get, "/a") { Headers = { { "Accept", "text/plain" } } },
        ];
        _server.Answer("/a");
        var results = new List<FanOutResult>();
        await foreach (var result in client.SendAllAsync(requests, new FanOutOptions { SendsEqualOnce = true, Order = FanOutOrder.Input }, Cancel))
        {
            results.Add(result);
        }

        Assert.Equal([null, 0, null, null, null, null, null], results.Select(static result => result.DuplicateOf));
        Assert.Equal([1, 0, 1, 1, 1, 1, 1], results.Select(static result => result.Attempts));
        Assert.Null(results[1].Response);
        Assert.Equal(6, _server.Arrived.Count);
    }

    [Fact]
    public async Task With_a_resilience_handler_each_attempt_counts_and_none_passes_the_delay_that_the_server_asked_for()
    {
        var clients = Limited();
        clients.AddResilienceHandler("retry", pipeline =>
        {
            pipeline.TimeProvider = _time;
            pipeline.AddRetry(new HttpRetryStrategyOptions { MaxRetryAttempts = 3, Delay = TimeSpan.Zero, BackoffType = DelayBackoffType.Constant, ShouldRetryAfterHeader = false });
        });
        clients.AddFanOutLimits(limits => limits.TimeProvider = _time);
        var refused = _server.AnswerInTurn("/a", Refusal(HttpStatusCode.TooManyRequests, new RetryConditionHeaderValue(TimeSpan.FromSeconds(7))), new HttpResponseMessage());
        await using var results = Client().SendAllAsync([new Uri("/a", UriKind.Relative)], cancellationToken: Cancel).GetAsyncEnumerator(Cancel);
        var result = results.MoveNextAsync();
        await _server.ArriveAsync(1);
        await refused;
        Assert.True(SpinWait.SpinUntil(() => _time.ActiveTimers > 0, TimeSpan.FromSeconds(20)));
        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.Single(_server.Arrived);
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.True(await result);
        Assert.Equal((HttpStatusCode.OK, 2), (results.Current.Response!.StatusCode, results.Current.Attempts));
    }

    [Theory]
    [InlineData("GET", 204, null)]
    [InlineData("GET", 304, "x")]
    [InlineData("HEAD", 200, "a length without a body")]
    [InlineData("GET", 200, "")]
    public async Task An_answer_with_nothing_to_read_gives_its_place_to_the_next_at_once(string method, int status, string? body)
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        var client = Client();
        for (var i = 0; i < 3; i++)
        {
            // Not disposed, as code without the limit may do.
            _server.Answer($"/{i}", new HttpResponseMessage((HttpStatusCode)status) { Content = body is null ? null : new StringContent(body) });
            var response = await client.SendAsync(new HttpRequestMessage(new HttpMethod(method), $"/{i}"), HttpCompletionOption.ResponseHeadersRead, Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
            Assert.Equal(status, (int)response.StatusCode);
        }
    }

    [Fact]
    public async Task A_body_that_was_read_by_its_length_or_was_cut_gives_its_place_to_the_next()
    {
        Limited().AddFanOutLimits(limits => limits.MaxConcurrency = 1);
        var client = Client();
        _server.Answer("/a", "five!");
        var first = await client.GetAsync("/a", HttpCompletionOption.ResponseHeadersRead, Cancel);
        await (await first.Content.ReadAsStreamAsync(Cancel)).ReadExactlyAsync(new byte[5], Cancel);

        _server.Answer("/b", new StreamContent(new CutStream()));
        var second = await client.GetAsync("/b", HttpCompletionOption.ResponseHeadersRead, Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        var body = await second.Content.ReadAsStreamAsync(Cancel);
        await Assert.ThrowsAsync<IOException>(() => body.ReadExactlyAsync(new byte[5], Cancel).AsTask());

        _server.Answer("/c", "third");
        Assert.Equal("third", await client.GetStringAsync("/c", Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        GC.KeepAlive((first, second));
    }

    [Theory]
    [InlineData("2147483647", 60)]
    [InlineData("2147483648", 60)]
    [InlineData("99999999999", 60)]
    [InlineData("99999999999999999999999999999999999999", 60)]
    [InlineData("0000000000000000000000000000007", 7)]
    [InlineData("7, 9", 0)]
    [InlineData("0", 0)]
    [InlineData("-5", 0)]
    [InlineData("5.5", 0)]
    [InlineData("soon", 0)]
    [InlineData("", 0)]
    [InlineData("Mon, 01 Jan 1601 00:00:00 GMT", 0)]
    [InlineData("Fri, 31 Dec 9999 23:59:59 GMT", 60)]
    public async Task Retry_After_of_any_form_delays_no_longer_than_allowed(string text, int seconds)
    {
        using var client = new HttpClient(_server);
        var isRead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var options = new FanOutOptions { MaxPerHost = 1, MaxRetryAfter = TimeSpan.FromSeconds(60), TimeProvider = _time };
        await using var results = client.SendAllAsync(Addresses(), options, Cancel).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync().AsTask();
        await isRead.Task.WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        var refusal = new HttpResponseMessage(HttpStatusCode.TooManyRequests);
        refusal.Headers.TryAddWithoutValidation("Retry-After", text);
        _server.Answer("busy/1", refusal);
        _server.Answer("busy/2");
        Assert.True(await first.WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        var second = results.MoveNextAsync().AsTask();
        if (seconds > 0)
        {
            _time.Advance(TimeSpan.FromSeconds(seconds) - TimeSpan.FromMilliseconds(1));
            Assert.Single(_server.Arrived);
            _time.Advance(TimeSpan.FromMilliseconds(1));
        }

        Assert.True(await second.WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        Assert.Equal(TimeSpan.FromSeconds(seconds), results.Current.Timing.Queued);

        IEnumerable<Uri> Addresses()
        {
            yield return new Uri("http://busy/1");
            yield return new Uri("http://busy/2");
            isRead.SetResult();
        }
    }

    private static HttpResponseMessage Refusal(HttpStatusCode status, RetryConditionHeaderValue? retryAfter) => new(status) { Headers = { RetryAfter = retryAfter } };

    private IHttpClientBuilder Limited() =>
        _services.AddHttpClient("legacy", static client => client.BaseAddress = new Uri("http://host/")).ConfigurePrimaryHttpMessageHandler(() => _server);

    private HttpClient Client() => (_provider ??= _services.BuildServiceProvider()).GetRequiredService<IHttpClientFactory>().CreateClient("legacy");

    // Its connection ends after three bytes.
    private sealed class CutStream : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (Position > 0)
            {
                throw new IOException("cut");
            }

            Position = 3;
            return new(3);
        }
    }
}
