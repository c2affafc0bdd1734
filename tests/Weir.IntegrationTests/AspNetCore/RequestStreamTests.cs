using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Streamed requests over a real connection: items are read while they come, and no faster than they are wanted.</summary>
public sealed class RequestStreamTests
{
    private const string Lines = "application/x-ndjson";

    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 60_000;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private static Operation Sum => Probe.Result("Sum", ResultKind.Value, static (a, c) => SumAsync(Numbers(a), c.CancellationToken, (int?)a.GetValueOrDefault("start") ?? 0), [Probe.Items("numbers"), Probe.Int("start", optional: true)], Verbs.Post);

    private static Operation Double => Probe.Stream("Double", static (a, _) => DoubleAsync(Numbers(a)), [Probe.Items("numbers")]);

    [Theory(Timeout = Limit)]
    [InlineData("1\n2\n\n3", Lines, "6")]
    [InlineData("1\n2", "application/ndjson", "3")]
    [InlineData("4\n", "application/jsonl; charset=utf-8", "4")]
    [InlineData("", Lines, "0")]
    [InlineData("[]", "application/json", "0")]
    [InlineData(" [1,\n 2 , 3 ]\n", "application/json", "6")]
    [InlineData("[7]", "application/vnd.some+json", "7")]
    public async Task Items_are_lines_or_the_elements_of_an_array(string body, string mediaType, string sum)
    {
        await using var host = await WeirHost.StartAsync(Sum);
        foreach (var client in (HttpClient[])[host.Client, host.Client2])
        {
            using var response = await client.PostAsync("/Probe/Sum", Body(body, mediaType), Cancel);
            Assert.Equal(sum, await response.Content.ReadAsStringAsync(Cancel));
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_request_without_a_body_has_no_items()
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var response = await host.Client.PostAsync("/Probe/Sum?start=5", null, Cancel);
        Assert.Equal("5", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact(Timeout = Limit)]
    public async Task The_other_arguments_come_from_the_query()
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var response = await host.Client.PostAsync("/Probe/Sum?start=10", Body("1\n2"), Cancel);
        Assert.Equal("13", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory(Timeout = Limit)]
    [InlineData("text/plain")]
    [InlineData("application/x-www-form-urlencoded")]
    [InlineData("application/x-ndjson; charset=latin1")]
    [InlineData(null)]
    public async Task Another_media_type_is_415(string? mediaType)
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var content = Body("1");
        content.Headers.ContentType = mediaType is null ? null : MediaTypeHeaderValue.Parse(mediaType);
        using var response = await host.Client.PostAsync("/Probe/Sum", content, Cancel);
        var problem = await response.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);
        Assert.EndsWith("send application/x-ndjson, or one array as application/json, in UTF-8.", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    [Theory(Timeout = Limit)]
    [InlineData("?start=x", "start query invalid")]
    [InlineData("?numbers=1", "numbers query invalid")]
    public async Task Arguments_that_do_not_bind_are_refused_before_the_body_is_wanted(string query, string fault)
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /Probe/Sum{query} HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Type: {Lines}\nContent-Length: 100");
        await connection.ReadUntilAsync("\"expected\"");
        Assert.StartsWith("HTTP/1.1 400 ", connection.Received, StringComparison.Ordinal);
        Assert.Contains($"\"name\":\"{fault.Split(' ')[0]}\",\"source\":\"query\"", connection.Received, StringComparison.Ordinal);
    }

    [Theory(Timeout = Limit)]
    [InlineData("1\n2\n\"3\"\n4", Lines, "numbers[2] body invalid")]
    [InlineData("1\n-", Lines, "numbers[1] body malformed")]
    [InlineData("1\nnull", Lines, "numbers[1] body null")]
    [InlineData("[1,2,true]", "application/json", "numbers[2] body invalid")]
    [InlineData("[1,]", "application/json", "numbers[1] body malformed")]
    [InlineData("[1", "application/json", "numbers[0] body malformed")]
    [InlineData("[1]2", "application/json", "numbers[1] body malformed")]
    [InlineData("{\"numbers\":[1]}", "application/json", "numbers[0] body malformed")]
    public async Task An_item_that_does_not_read_is_400_with_its_index(string body, string mediaType, string fault)
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var response = await host.Client.PostAsync("/Probe/Sum", Body(body, mediaType), Cancel);
        Assert.Equal([fault], (await response.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Fact(Timeout = Limit)]
    public async Task An_item_that_does_not_read_after_the_response_has_begun_fails_the_stream()
    {
        await using var host = await WeirHost.StartAsync(Double);
        using var response = await host.Client.SendAsync(Post("/Probe/Double", "1\n2\nx\n3", "application/x-ndjson; weir=1"), Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        var lines = (await response.Content.ReadAsStringAsync(Cancel)).Split('\n');
        Assert.Equal(["2", "4"], lines[..2]);
        using var last = JsonDocument.Parse(lines[2]);
        var ending = last.RootElement.GetProperty("$weir");
        Assert.Equal((400, 2), (ending.GetProperty("problem").GetProperty("status").GetInt32(), ending.GetProperty("index").GetInt32()));
        Assert.Equal(["numbers[2] body malformed"], ending.GetProperty("problem").Errors());

        // An array cannot tell: its connection is broken off, which drops what its caller has not read by then.
        using var body = new SentBody();
        body.Send("1\n2\n");
        using var broken = new IncrementalReader(await body.PostAsync(host.Client2, "/Probe/Double", "application/json", Cancel));
        await broken.ReadAsync("[2,4");
        body.Send("x\n3");
        body.End();
        await Assert.ThrowsAnyAsync<Exception>(broken.ReadToEndAsync);
        Assert.Equal("[2,4", broken.Text);
    }

    [Fact(Timeout = Limit)]
    public async Task An_item_over_its_limit_is_refused_and_the_whole_has_none()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Sum)],
            Options = static options => options.RequestItemLimit = 10,
            Services = static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBodySize = 100),
        });
        using var large = await host.Client.PostAsync("/Probe/Sum", Body("1\n" + new string('9', 11)), Cancel);
        var problem = await large.ReadProblemAsync(400, WeirCodes.PayloadTooLarge);
        Assert.Contains("numbers[1] has more than 10 bytes, which is WeirServerOptions.RequestItemLimit", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);

        using var many = await host.Client.PostAsync("/Probe/Sum", Body(string.Concat(Enumerable.Repeat("1\n", 5000))), Cancel);
        Assert.Equal("5000", await many.Content.ReadAsStringAsync(Cancel));
    }

    [Fact(Timeout = Limit)]
    public async Task An_endpoints_own_limit_of_the_whole_holds()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Sum)],
            After = static (_, mapped) => mapped.Add(static endpoint => endpoint.Metadata.Add(new SizeLimit(1000))),
        });
        using var response = await host.Client.PostAsync("/Probe/Sum", Body(string.Concat(Enumerable.Repeat("1\n", 5000))), Cancel);
        await response.ReadProblemAsync(413, WeirCodes.BodyTooLarge);
    }

    [Fact(Timeout = Limit)]
    public async Task Both_directions_run_at_once_over_HTTP_2()
    {
        await using var host = await WeirHost.StartAsync(Double);
        using var body = new SentBody();
        body.Send("1\n");
        using var reader = new IncrementalReader(await body.PostAsync(host.Client2, "/Probe/Double.ndjson", cancellationToken: Cancel));
        var text = "";
        for (var number = 1; number <= 64; number *= 2)
        {
            // The next item is sent when the answer to the last is there.
            text += $"{2 * number}\n";
            await reader.ReadAsync(text);
            body.Send($"{2 * number}\n");
        }

        body.End();
        Assert.Equal(text + "256\n", await reader.ReadToEndAsync());
    }

    [Fact(Timeout = Limit)]
    public async Task Both_directions_run_at_once_over_HTTP_1()
    {
        await using var host = await WeirHost.StartAsync(Double);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /Probe/Double.ndjson HTTP/1.1\nHost: x\nContent-Type: {Lines}\nTransfer-Encoding: chunked", "2\r\n1\n\r\n");
        await connection.ReadUntilAsync("\r\n2\n\r\n");
        await connection.SendRawAsync("4\r\n2\n3\n\r\n");
        await connection.ReadUntilAsync("4\n");
        await connection.ReadUntilAsync("6\n");
        await connection.SendRawAsync("0\r\n\r\n");
        await connection.ReadUntilAsync("\r\n0\r\n\r\n");
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sender_that_is_faster_than_the_operation_waits(bool http2)
    {
        using var steps = new SemaphoreSlim(0);
        var taken = 0;
        var operation = Probe.Result("Slow", ResultKind.Value, (a, c) => SlowlyAsync(Numbers(a)), [Probe.Items("numbers")], Verbs.Post);
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(operation)],
            Services = static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Limits.MaxRequestBufferSize = 64 * 1024),
        });

        // 40 MB in items of 40 KB, of which the operation takes one: white space counts.
        const int Items = 1000;
        const int Size = 40_000;
        using var body = new SentBody();
        for (var i = 0; i < Items; i++)
        {
            body.Send("1".PadRight(Size - 1) + "\n");
        }

        body.End();
        var running = body.PostAsync(http2 ? host.Client2 : host.Client, "/Probe/Slow", cancellationToken: Cancel);
        steps.Release(1);
        for (long sent = -1; body.Sent != sent || Volatile.Read(ref taken) < 1;)
        {
            sent = body.Sent;
            await Task.Delay(TimeSpan.FromMilliseconds(300), TimeProvider.System, Cancel);
        }

        // What is under way lies in the buffers of two sockets, of the client, and in the server's window.
        Assert.Equal(1, taken);
        Assert.InRange(body.Sent, Size, 20_000_000);
        steps.Release(Items);
        using var response = await running;
        Assert.Equal($"{Items}", await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(Items, taken);

        async Task<object?> SlowlyAsync(IAsyncEnumerable<int> numbers)
        {
            var sum = 0;
            await foreach (var number in numbers)
            {
                await steps.WaitAsync(Cancel);
                Interlocked.Increment(ref taken);
                sum += number;
            }

            return sum;
        }
    }

    [Theory(Timeout = Limit)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_caller_who_leaves_ends_the_items_and_fires_the_token(bool http2, bool streams)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Probe.Method method = streams ? (a, c) => WatchAsync(Numbers(a), c) : (a, c) => CountAsync(Numbers(a), c);
        await using var host = await WeirHost.StartAsync(streams
            ? Probe.Stream("Watch", method, [Probe.Items("numbers")])
            : Probe.Result("Watch", ResultKind.Value, method, [Probe.Items("numbers")], Verbs.Post));
        using var leaving = new CancellationTokenSource();
        using var body = new SentBody();
        body.Send("1\n");
        var running = body.PostAsync(http2 ? host.Client2 : host.Client, "/Probe/Watch", cancellationToken: leaving.Token);
        await begun.Task.WithinAsync(20);
        await leaving.CancelAsync();

        var failure = await ended.Task.WithinAsync(20);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        if (failure is OperationCanceledException)
        {
            Assert.Equal(streams ? 4203 : 4202, (await host.Log.NextAsync(Cancel).WithinAsync(20)).Event);
        }
        else
        {
            // Over HTTP/1.1 it may look like a body that is cut off, which the client does not read any more.
            Assert.False(http2);
            Assert.IsType<BadHttpRequestException>(failure, exactMatch: false);
        }

        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);

        async Task<object?> CountAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            var count = 0;
            await foreach (var _ in WatchAsync(numbers, context))
            {
                count++;
            }

            return count;
        }

        // Enumerates without the token, as people forget it.
        async IAsyncEnumerable<int> WatchAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            var items = numbers.GetAsyncEnumerator(CancellationToken.None);
            await using (items)
            {
                await items.MoveNextAsync();
                begun.SetResult();
                try
                {
                    await items.MoveNextAsync();
                }
                catch (Exception failure)
                {
                    var fired = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                    await using var registration = context.CancellationToken.Register(fired.SetResult);
                    await fired.Task.WithinAsync(20);
                    ended.SetResult(failure);
                    throw;
                }

                ended.SetResult(null);
                yield return 1;
            }
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_body_that_ends_too_early_is_no_end_of_the_items()
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var host = await WeirHost.StartAsync(Probe.Result("Watch", ResultKind.Value, (a, c) => CatchAsync(Numbers(a)), [Probe.Items("numbers")], Verbs.Post));
        using (var connection = await RawConnection.OpenAsync(host.Http1))
        {
            await connection.SendAsync($"POST /Probe/Watch HTTP/1.1\nHost: x\nContent-Type: {Lines}\nContent-Length: 100", "1\n2\n");

            // A connection that is gone before its request was looked at is none.
            await begun.Task.WithinAsync(20);
        }

        Assert.IsType<Exception>(await ended.Task.WithinAsync(20), exactMatch: false);

        async Task<object?> CatchAsync(IAsyncEnumerable<int> numbers)
        {
            begun.SetResult();
            try
            {
                return await SumAsync(numbers, CancellationToken.None);
            }
            catch (Exception failure)
            {
                ended.SetResult(failure);
                throw;
            }
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_sender_that_is_silent_too_long_is_408()
    {
        await using var host = await WeirHost.StartAsync(static options => options.SenderStallTimeout = TimeSpan.FromMilliseconds(200), Sum);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /Probe/Sum HTTP/1.1\nHost: x\nContent-Type: {Lines}\nContent-Length: 100", "1\n2\n");
        await connection.ReadUntilAsync("WeirServerOptions.SenderStallTimeout");
        Assert.StartsWith("HTTP/1.1 408 ", connection.Received, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.SenderStalled, connection.Received, StringComparison.Ordinal);
    }

    [Fact(Timeout = Limit)]
    public async Task A_deadline_ends_the_waiting_for_an_item()
    {
        await using var host = await WeirHost.StartAsync(Sum);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /Probe/Sum HTTP/1.1\nHost: x\nWeir-Deadline-Ms: 100\nContent-Type: {Lines}\nContent-Length: 100", "1\n2\n");
        await connection.ReadUntilAsync(WeirCodes.DeadlineExceeded);
        Assert.StartsWith("HTTP/1.1 504 ", connection.Received, StringComparison.Ordinal);
    }

    [Theory(Timeout = Limit)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_operation_that_has_enough_answers_at_once(bool http2)
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("First", ResultKind.Value, static (a, c) => FirstAsync(Numbers(a)), [Probe.Items("numbers")], Verbs.Post));
        if (http2)
        {
            using var body = new SentBody();
            body.Send("7\n");
            using var response = await body.PostAsync(host.Client2, "/Probe/First", cancellationToken: Cancel);
            Assert.Equal("7", await response.Content.ReadAsStringAsync(Cancel));
            body.End();
        }
        else
        {
            using var connection = await RawConnection.OpenAsync(host.Http1);
            await connection.SendAsync($"POST /Probe/First HTTP/1.1\nHost: x\nContent-Type: {Lines}\nContent-Length: 100", "7\n8\n");
            await connection.ReadUntilAsync("\r\n\r\n7");
        }

        static async Task<object?> FirstAsync(IAsyncEnumerable<int> numbers) => await numbers.FirstAsync(Cancel);
    }

    [Fact(Timeout = Limit)]
    public async Task An_item_that_is_still_asked_for_when_the_operation_ends_does_not_reach_into_the_next_request()
    {
        Task<bool>? forgotten = null;
        var operation = Probe.Result("Forget", ResultKind.Text, (a, _) => Forget(Numbers(a)), [Probe.Items("numbers")], Verbs.Post);
        await using var host = await WeirHost.StartAsync(operation, Sum);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /Probe/Forget HTTP/1.1\nHost: x\nContent-Type: {Lines}\nTransfer-Encoding: chunked");
        await connection.ReadUntilAsync("forgotten");
        await Assert.ThrowsAsync<InvalidOperationException>(() => forgotten!.WithinAsync(20));

        await connection.SendRawAsync("2\r\n1\n\r\n0\r\n\r\n");
        await connection.SendAsync($"POST /Probe/Sum HTTP/1.1\nHost: x\nConnection: close\nContent-Type: {Lines}\nContent-Length: 4", "2\n3\n");
        Assert.EndsWith("\r\n\r\n5", await connection.ReadToEndAsync(), StringComparison.Ordinal);

        string Forget(IAsyncEnumerable<int> numbers)
        {
            forgotten = numbers.GetAsyncEnumerator(Cancel).MoveNextAsync().AsTask();
            return "forgotten";
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_blocking_operation_waits_on_the_lane()
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Sum", ResultKind.Value, static (a, _) => Numbers(a).ToBlockingEnumerable(Cancel).Sum(), [Probe.Items("numbers")], Verbs.Post, placement: Placement.Lane),
            Probe.Stream("Double", static (a, _) => Numbers(a).ToBlockingEnumerable(Cancel).Select(static number => 2 * number), [Probe.Items("numbers")], placement: Placement.Lane));
        using var sum = await host.Client.PostAsync("/Probe/Sum", Body("1\n2\n3"), Cancel);
        Assert.Equal("6", await sum.Content.ReadAsStringAsync(Cancel));
        using var doubled = await host.Client2.PostAsync("/Probe/Double", Body("1\n2\n3"), Cancel);
        Assert.Equal("[2,4,6]", await doubled.Content.ReadAsStringAsync(Cancel));
    }

    [Fact(Timeout = Limit)]
    public async Task A_packed_body_is_read_where_the_application_unpacks_it()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Sum)],
            Services = static builder => builder.Services.AddRequestDecompression(),
            Before = static app => app.UseRequestDecompression(),
        });
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionMode.Compress, leaveOpen: true))
        {
            await gzip.WriteAsync(Encoding.UTF8.GetBytes("1\n2\n3\n"), Cancel);
        }

        using var good = await host.Client.PostAsync("/Probe/Sum", Packed(packed.ToArray()), Cancel);
        Assert.Equal("6", await good.Content.ReadAsStringAsync(Cancel));
        using var bad = await host.Client.PostAsync("/Probe/Sum", Packed("1\n2\n3\n"u8.ToArray()), Cancel);
        Assert.Equal(["numbers[0] body malformed"], (await bad.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());

        static ByteArrayContent Packed(byte[] bytes)
        {
            var content = new ByteArrayContent(bytes);
            content.Headers.ContentType = new MediaTypeHeaderValue(Lines);
            content.Headers.ContentEncoding.Add("gzip");
            return content;
        }
    }

    [Theory(Timeout = Limit)]
    [InlineData("/InlineRequests/Join?separator=%2B", "\"a\"\nnull\n\"c\"", "a+(null)+c")]
    [InlineData("/LaneRequests/Join?separator=-", "\"a\"\n\"b\"", "a-b")]
    [InlineData("/InlineRequests/Sizes", "\"AQID\"\n\"\"", "3 0")]
    [InlineData("/InlineRequests/Double.ndjson", "1\n2", "2\n4\n")]
    [InlineData("/IsolatedBlockingRequests/Join?separator=-", "\"a\"\n\"b\"", "a-b")]
    public async Task Generated_operations_are_served(string path, string body, string answer)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = static options =>
            {
                options.RunInline = true;
                TestPools.StartOnDemand(options);
            },
        });
        using var response = await host.Client.PostAsync(path, Body(body), Cancel);
        Assert.Equal(answer, await response.Content.ReadAsStringAsync(Cancel));
    }

    private static StringContent Body(string body, string mediaType = Lines)
    {
        var content = new StringContent(body, Encoding.UTF8);
        content.Headers.ContentType = MediaTypeHeaderValue.Parse(mediaType);
        return content;
    }

    private static HttpRequestMessage Post(string path, string body, string accept)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = Body(body) };
        request.Headers.TryAddWithoutValidation("Accept", accept);
        return request;
    }

    private static IAsyncEnumerable<int> Numbers(Dictionary<string, object?> arguments) => (IAsyncEnumerable<int>)arguments["numbers"]!;

    private static async Task<object?> SumAsync(IAsyncEnumerable<int> numbers, CancellationToken cancellationToken, int start = 0)
    {
        var sum = start;
        await foreach (var number in numbers.WithCancellation(cancellationToken))
        {
            sum += number;
        }

        return sum;
    }

    private static async IAsyncEnumerable<int> DoubleAsync(IAsyncEnumerable<int> numbers, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var number in numbers.WithCancellation(cancellationToken))
        {
            yield return 2 * number;
        }
    }

    private sealed class SizeLimit(long bytes) : IRequestSizeLimitMetadata
    {
        public long? MaxRequestBodySize => bytes;
    }
}
