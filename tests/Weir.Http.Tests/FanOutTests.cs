using System.Collections.Concurrent;
using System.Text.Json.Serialization;
using Weir.Tests;

namespace Weir.Http.Tests;

/// <summary>Many requests at once: bounds, order, failures, and the end of an enumeration.</summary>
public sealed partial class FanOutTests : IDisposable
{
    private readonly ScriptedServer _server = new();
    private readonly HttpClient _client;

    public FanOutTests() => _client = new HttpClient(_server) { BaseAddress = new Uri("http://host/") };

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _client.Dispose();

    [Fact]
    public async Task Results_come_as_the_requests_complete()
    {
        await using var results = _client.SendAllAsync(Paths("a", "b", "c"), cancellationToken: Cancel).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync();
        await _server.ArriveAsync(3);
        _server.Answer("/b", "second");
        Assert.True(await first);
        Assert.Equal((1L, "second"), (results.Current.Index, await results.Current.Response!.Content.ReadAsStringAsync(Cancel)));
        _server.Answer("/c");
        Assert.True(await results.MoveNextAsync());
        Assert.Equal(2, results.Current.Index);
        _server.Answer("/a");
        Assert.True(await results.MoveNextAsync());
        Assert.Equal(0, results.Current.Index);
        Assert.False(await results.MoveNextAsync());
    }

    [Fact]
    public async Task Results_come_in_the_order_of_the_input_if_that_is_chosen()
    {
        var results = CollectAsync(_client.SendAllAsync(Paths("a", "b", "c"), new FanOutOptions { Order = FanOutOrder.Input }, Cancel));
        await _server.ArriveAsync(3);
        _server.Answer("/c");
        _server.Answer("/b");
        _server.Answer("/a");
        Assert.Equal([0L, 1, 2], (await results).Select(static result => result.Index));
    }

    [Fact]
    public async Task No_more_requests_are_in_flight_than_allowed_and_all_are_sent()
    {
        for (var i = 0; i < 100; i++)
        {
            _server.Answer($"/{i}");
        }

        var results = await CollectAsync(_client.SendAllAsync(Paths([.. Enumerable.Range(0, 100).Select(static i => $"{i}")]), new FanOutOptions { MaxConcurrency = 7 }, Cancel));
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => (long)i), results.Select(static result => result.Index).Order());
        Assert.InRange(_server.MostInFlight, 1, 7);
    }

    [Theory]
    [InlineData(FanOutOrder.Completion)]
    [InlineData(FanOutOrder.Input)]
    public async Task An_endless_input_is_read_only_as_fast_as_results_are_taken(FanOutOrder order)
    {
        var read = 0;
        await using var results = _client.SendAllAsync(Endless(), new FanOutOptions { MaxConcurrency = 4, Order = order }, Cancel).GetAsyncEnumerator(Cancel);
        for (var i = 0; i < 20; i++)
        {
            _server.Answer($"/{i}");
            Assert.True(await results.MoveNextAsync());
            Assert.InRange(Volatile.Read(ref read), i + 1, i + 5);
        }

        IEnumerable<Uri> Endless()
        {
            while (true)
            {
                yield return new Uri($"/{Interlocked.Increment(ref read) - 1}", UriKind.Relative);
            }
        }
    }

    [Theory]
    [InlineData(FanOutOrder.Completion)]
    [InlineData(FanOutOrder.Input)]
    public async Task Results_that_are_not_taken_stop_the_input(FanOutOrder order)
    {
        const int Most = 4;
        var read = 0;
        for (var i = 0; i < 200; i++)
        {
            _server.Answer($"/{i}");
        }

        await using var results = _client.SendAllAsync(Paths200(), new FanOutOptions { MaxConcurrency = Most, Order = order }, Cancel).GetAsyncEnumerator(Cancel);
        for (var taken = 1; taken <= 150; taken++)
        {
            Assert.True(await results.MoveNextAsync());
            Assert.InRange(Volatile.Read(ref read), taken, taken + (2 * Most));
        }

        IEnumerable<Uri> Paths200()
        {
            while (read < 200)
            {
                yield return new Uri($"/{Interlocked.Increment(ref read) - 1}", UriKind.Relative);
            }
        }
    }

    [Fact]
    public async Task Many_requests_that_end_at_once_behind_one_that_does_not_need_no_deep_stack()
    {
        const int Count = 100_000;
        using var activity = new System.Diagnostics.Activity("caller").Start();
        var first = new TaskCompletionSource<HttpResponseMessage>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var client = new HttpClient(new Immediate(first.Task, activity)) { BaseAddress = new Uri("http://server") };
        var requests = Enumerable.Range(0, Count).Select(i =>
        {
            if (i == Count - 1)
            {
                first.SetResult(new HttpResponseMessage());
            }

            return new Uri("/", UriKind.Relative);
        });

        // One after the other, so in the order in which they ended; each sent in the context of this code.
        var results = 0;
        await foreach (var result in client.SendAllAsync(requests, new FanOutOptions { MaxConcurrency = Count, MaxPerHost = 1 }, Cancel))
        {
            Assert.Null(result.Exception);
            Assert.Equal(results++, result.Index);
        }

        Assert.Equal(Count, results);
    }

    [Fact]
    public async Task An_input_that_blocks_delays_no_result()
    {
        using var unblocked = new ManualResetEventSlim();
        await using var results = _client.SendAllAsync(Blocking(), cancellationToken: Cancel).GetAsyncEnumerator(Cancel);
        for (var i = 0; i < 3; i++)
        {
            _server.Answer($"/{i}");
            Assert.True(await results.MoveNextAsync());
        }

        unblocked.Set();
        Assert.False(await results.MoveNextAsync());

        IEnumerable<Uri> Blocking()
        {
            for (var i = 0; i < 3; i++)
            {
                yield return new Uri($"/{i}", UriKind.Relative);
            }

            Assert.True(unblocked.Wait(TimeSpan.FromSeconds(20), Cancel));
        }
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(1, false)]
    [InlineData(16, true)]
    [InlineData(16, false)]
    [InlineData(50, true)]
    [InlineData(50, false)]
    public async Task Code_that_blocks_while_it_handles_a_result_does_not_stop_the_other_requests(int most, bool answersAtOnce)
    {
        using var client = new HttpClient(answersAtOnce ? _server : new YieldingHandler(_server)) { BaseAddress = _client.BaseAddress };
        for (var i = 0; i < 200; i++)
        {
            _server.Answer($"/{i}");
        }

        var handled = 0;
        await foreach (var result in client.SendAllAsync(Paths([.. Enumerable.Range(0, 200).Select(static i => $"{i}")]), new FanOutOptions { MaxConcurrency = most }, Cancel))
        {
            // As many as may wait to be taken arrive, and one that waited before.
            if (++handled == 2)
            {
                Assert.True(SpinWait.SpinUntil(() => _server.Arrived.Count >= most + 2, TimeSpan.FromSeconds(20)), $"{_server.Arrived.Count} requests arrived.");
            }
        }

        Assert.Equal(200, handled);
    }

    [Fact]
    public async Task Requests_are_sent_in_the_context_of_the_code_that_began_to_enumerate()
    {
        var context = new AsyncLocal<string>();
        var seen = new ConcurrentBag<string?>();
        using var client = new HttpClient(new Watcher(_server, () => seen.Add(context.Value))) { BaseAddress = new Uri("http://host/") };
        for (var i = 0; i < 20; i++)
        {
            _server.Answer($"/{i}");
        }

        context.Value = "began";
        await using var results = client.SendAllAsync(Paths([.. Enumerable.Range(0, 20).Select(static i => $"{i}")]), new FanOutOptions { MaxConcurrency = 2 }, Cancel).GetAsyncEnumerator(Cancel);
        while (await results.MoveNextAsync())
        {
            context.Value = "takes results";
        }

        Assert.Equal(Enumerable.Repeat("began", 20), seen);
    }

    [Fact]
    public async Task A_host_at_its_limit_does_not_delay_requests_to_others()
    {
        var options = new FanOutOptions { MaxConcurrency = 4, MaxPerHost = 1 };
        await using var results = _client.SendAllAsync(Addresses("http://slow/1", "http://slow/2", "http://slow/3", "http://fast/1"), options, Cancel).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync();
        await _server.ArriveAsync(2);
        Assert.Equal(["fast/1", "slow/1"], _server.Arrived.Order());
        _server.Answer("fast/1");
        Assert.True(await first);
        Assert.Equal(3, results.Current.Index);

        _server.Answer("slow/1");
        await _server.ArriveAsync(1);
        Assert.Equal("slow/2", _server.Arrived.Last());
        _server.Answer("slow/2");
        _server.Answer("slow/3");
        Assert.True(await results.MoveNextAsync());
        Assert.True(await results.MoveNextAsync());
        Assert.True(await results.MoveNextAsync());
        Assert.False(await results.MoveNextAsync());
    }

    [Fact]
    public async Task A_request_that_fails_is_a_result_and_the_others_are_not_affected()
    {
        _server.Answer("/a");
        _server.Fail("/b", new HttpRequestException("refused"));
        _server.Answer("/c");
        var results = await CollectAsync(_client.SendAllAsync(Paths("a", "b", "c"), cancellationToken: Cancel));
        Assert.Equal("refused", Assert.IsType<HttpRequestException>(results.Single(static result => result.Index == 1).Exception).Message);
        Assert.Equal(2, results.Count(static result => result is { Response: not null, Exception: null }));
    }

    [Fact]
    public async Task An_input_that_throws_ends_the_enumeration_after_the_results_before_it()
    {
        _server.Answer("/a");
        var results = new List<FanOutResult>();
        var failure = await Assert.ThrowsAsync<InvalidDataException>(async () =>
        {
            await foreach (var result in _client.SendAllAsync(Broken(), cancellationToken: Cancel))
            {
                results.Add(result);
            }
        });
        Assert.Equal("line 2", failure.Message);
        Assert.Equal(0, Assert.Single(results).Index);

        static IEnumerable<Uri> Broken()
        {
            yield return new Uri("/a", UriKind.Relative);
            throw new InvalidDataException("line 2");
        }
    }

    [Fact]
    public async Task Cancelling_ends_all_requests_and_disposes_responses_that_were_not_taken()
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var (complete, endless) = (new TrackedContent(isEndless: false), new TrackedContent(isEndless: true));
        await using var results = _client.SendAllAsync(Paths("first", "complete", "endless", "open"), cancellationToken: stop.Token).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync();
        await _server.ArriveAsync(4);
        _server.Answer("/first");
        Assert.True(await first);
        _server.Answer("/complete", complete);
        _server.Answer("/endless", endless);
        await Task.WhenAll(complete.Reading, endless.Reading).WaitAsync(TimeSpan.FromSeconds(20), Cancel);

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await results.MoveNextAsync());
        await Task.WhenAll(complete.Disposed, endless.Disposed).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        Assert.Contains("/open", _server.Cancelled);
    }

    [Fact]
    public async Task Leaving_the_loop_early_cancels_the_requests_in_flight_and_sends_no_more()
    {
        _server.Answer("/0");
        await foreach (var result in _client.SendAllAsync(Paths([.. Enumerable.Range(0, 50).Select(static i => $"{i}")]), new FanOutOptions { MaxConcurrency = 3 }, Cancel))
        {
            Assert.Equal(0, result.Index);
            break;
        }

        Assert.Equal(_server.Arrived.Where(static path => path != "/0").Order(), _server.Cancelled.Order());
        Assert.InRange(_server.Arrived.Count, 1, 4);
    }

    [Fact]
    public async Task Values_are_read_without_a_JsonTypeInfo_too()
    {
        _server.Answer("/a", new StringContent("{\"NAME\":\"Ada\"}"));
        _server.Answer("/b", new StringContent("{\"first_name\":\"Eve\"}"));
        var one = Assert.Single(await CollectAsync(_client.GetAllAsync<Person>(Paths("a"), cancellationToken: Cancel)));
        Assert.Equal("Ada", one.Value!.Name);
        var named = new System.Text.Json.JsonSerializerOptions { PropertyNamingPolicy = new Renaming() };
        one = Assert.Single(await CollectAsync(_client.GetAllAsync<Person>(Paths("b"), new FanOutOptions { MaxConcurrency = 1 }, named, Cancel)));
        Assert.Equal("Eve", one.Value!.Name);
        Assert.Throws<ArgumentNullException>(() => _client.GetAllAsync<Person>((IEnumerable<Uri>)null!));
    }

    private sealed class Renaming : System.Text.Json.JsonNamingPolicy
    {
        public override string ConvertName(string name) => $"first_{name.ToLowerInvariant()}";
    }

    [Fact]
    public async Task Values_are_read_from_JSON_and_a_status_or_a_body_that_is_wrong_is_the_failure_of_its_request()
    {
        _server.Answer("/a", """{"Name":"Ada"}""");
        _server.Answer("/b", "no JSON");
        var results = await CollectAsync(_client.GetAllAsync(Paths("a", "b"), Json.Default.Person, new FanOutOptions { Order = FanOutOrder.Input }, Cancel));
        Assert.Equal("Ada", results[0].Value!.Name);
        Assert.Equal(System.Net.HttpStatusCode.OK, results[1].StatusCode);
        Assert.Throws<System.Text.Json.JsonException>(() => results[1].Value);
    }

    [Fact]
    public async Task Times_count_from_the_input_to_the_headers_and_to_the_end()
    {
        var time = new ManualTime();
        await using var results = _client.SendAllAsync(Paths("a", "b"), new FanOutOptions { MaxConcurrency = 1, TimeProvider = time }, Cancel).GetAsyncEnumerator(Cancel);
        var first = results.MoveNextAsync();
        await _server.ArriveAsync(1);
        time.Advance(TimeSpan.FromMilliseconds(5));
        _server.Answer("/a");
        Assert.True(await first);
        Assert.Equal(new FanOutTiming(TimeSpan.Zero, TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(5)), results.Current.Timing);
    }

    [Fact]
    public async Task A_response_that_is_not_read_within_the_timeout_of_the_client_fails_with_a_timeout()
    {
        var time = new ManualTime();
        _client.Timeout = TimeSpan.FromSeconds(3);
        var content = new TrackedContent(isEndless: true);
        _server.Answer("/a", content);
        var results = CollectAsync(_client.SendAllAsync(Paths("a"), new FanOutOptions { TimeProvider = time }, Cancel));
        await content.Reading.WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        time.Advance(TimeSpan.FromSeconds(3));
        var failure = Assert.IsType<TaskCanceledException>(Assert.Single(await results).Exception);
        Assert.IsType<TimeoutException>(failure.InnerException);
        Assert.StartsWith("The response was not read within HttpClient.Timeout, which is 00:00:03. ", failure.Message, StringComparison.Ordinal);
        await content.Disposed.WaitAsync(TimeSpan.FromSeconds(20), Cancel);
    }

    [Fact]
    public async Task A_request_that_is_not_answered_within_the_timeout_of_the_client_says_so()
    {
        var time = new ManualTime();
        _client.Timeout = TimeSpan.FromSeconds(90);
        var results = CollectAsync(_client.SendAllAsync(Paths("a"), new FanOutOptions { TimeProvider = time }, Cancel));
        await _server.ArriveAsync(1);
        time.Advance(TimeSpan.FromSeconds(90));
        var failure = Assert.IsType<TaskCanceledException>(Assert.Single(await results).Exception);
        Assert.IsType<TimeoutException>(failure.InnerException);
        Assert.StartsWith("There was no response within HttpClient.Timeout, which is 00:01:30. ", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_response_that_fails_while_it_is_read_and_while_it_is_disposed_is_a_failed_request()
    {
        _server.Answer("/a", new BrokenContent());
        _server.Answer("/b");
        var results = await CollectAsync(_client.SendAllAsync(Paths("a", "b"), new FanOutOptions { MaxConcurrency = 1 }, Cancel)).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        Assert.Equal("read", Assert.IsType<HttpRequestException>(results[0].Exception).InnerException?.Message);
        Assert.Null(results[1].Exception);
    }

    [Fact]
    public async Task No_request_is_read_beyond_those_in_flight_until_the_first_result_was_handled()
    {
        const int Most = 3;
        using var client = new HttpClient(new Instant()) { BaseAddress = new Uri("http://server") };
        for (var round = 0; round < 500; round++)
        {
            var read = 0;
            var endless = Enumerable.Repeat(0, int.MaxValue).Select(_ =>
            {
                Interlocked.Increment(ref read);
                return new Uri("/", UriKind.Relative);
            });
            await using var results = client.SendAllAsync(endless, new FanOutOptions { MaxConcurrency = Most }, Cancel).GetAsyncEnumerator(Cancel);
            Assert.True(await results.MoveNextAsync());
            await Task.Yield();
            Assert.InRange(Volatile.Read(ref read), 1, Most);
            for (var i = 0; i < 10; i++)
            {
                Assert.True(await results.MoveNextAsync());
            }
        }
    }

    [Fact]
    public async Task A_request_is_released_when_it_has_ended()
    {
        var input = new OneRequest();
        _server.Answer("/a");
        await using var results = _client.SendAllAsync(input, static (_, _) => ValueTask.FromResult(true), cancellationToken: Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await results.MoveNextAsync());
        await input.Waiting.WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        for (var i = 0; input.IsAlive; i++)
        {
            Assert.True(i < 1000, "the request is still held");
            GC.Collect();
            await Task.Yield();
        }

        input.End();
        Assert.False(await results.MoveNextAsync());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100_001)]
    public void Options_out_of_range_are_refused_with_their_name_and_value(int value)
    {
        Assert.StartsWith($"MaxConcurrency is {value}; choose", Assert.Throws<ArgumentOutOfRangeException>(() => new FanOutOptions { MaxConcurrency = value }).Message, StringComparison.Ordinal);
        Assert.StartsWith($"MaxPerHost is {value}; choose", Assert.Throws<ArgumentOutOfRangeException>(() => new FanOutOptions { MaxPerHost = value }).Message, StringComparison.Ordinal);
    }

    private static IEnumerable<Uri> Paths(params string[] paths) => paths.Select(static path => new Uri("/" + path, UriKind.Relative));

    private static IEnumerable<Uri> Addresses(params string[] addresses) => addresses.Select(static address => new Uri(address));

    private static async Task<List<T>> CollectAsync<T>(IAsyncEnumerable<T> results)
    {
        var all = new List<T>();
        await foreach (var result in results)
        {
            all.Add(result);
        }

        return all;
    }

    private sealed class Immediate(Task<HttpResponseMessage> first, System.Diagnostics.Activity caller) : HttpMessageHandler
    {
        private int _sent;

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Assert.Same(caller, System.Diagnostics.Activity.Current);
            return Interlocked.Increment(ref _sent) == 1 ? first : Task.FromResult(new HttpResponseMessage());
        }
    }

    private sealed class Instant : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Task.FromResult(new HttpResponseMessage());
    }

    private sealed class BrokenContent : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, System.Net.TransportContext? context) => throw new IOException("read");

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            throw new InvalidOperationException("disposed");
        }
    }

    /// <summary>One request, and then nothing until its end. It does not hold the request.</summary>
    private sealed class OneRequest : IAsyncEnumerable<HttpRequestMessage>, IAsyncEnumerator<HttpRequestMessage>
    {
        private readonly TaskCompletionSource _waiting = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource<bool> _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private WeakReference? _request;

        public Task Waiting => _waiting.Task;

        public bool IsAlive => _request!.IsAlive;

        public HttpRequestMessage Current
        {
            get
            {
                var request = new HttpRequestMessage(HttpMethod.Get, "/a");
                _request = new WeakReference(request);
                return request;
            }
        }

        public void End() => _end.SetResult(false);

        public IAsyncEnumerator<HttpRequestMessage> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

        public ValueTask<bool> MoveNextAsync()
        {
            if (_request is null)
            {
                return new(true);
            }

            _waiting.TrySetResult();
            return new(_end.Task);
        }

        public ValueTask DisposeAsync() => default;
    }

    private sealed class Watcher(HttpMessageHandler inner, Action sends) : DelegatingHandler(inner)
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            sends();
            return base.SendAsync(request, cancellationToken);
        }
    }

    internal sealed record Person(string Name);

    [JsonSerializable(typeof(Person))]
    internal sealed partial class Json : JsonSerializerContext;

    private sealed class YieldingHandler(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            await Task.Yield();
            return await base.SendAsync(request, cancellationToken);
        }
    }
}
