using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Streams over a real connection: items are sent when they exist, and every outcome is distinguished.</summary>
public sealed class StreamTests
{
    private const string Marked = "application/x-ndjson; weir=1";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string, bool, bool> Ways
    {
        get
        {
            var ways = new TheoryData<string, bool, bool>();
            foreach (var format in (string[])["json", "ndjson", "sse"])
            {
                foreach (var http2 in (bool[])[false, true])
                {
                    ways.Add(format, http2, false);
                    ways.Add(format, http2, true);
                }
            }

            return ways;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task An_item_arrives_before_the_next_one_exists(string format, bool http2, bool blocking)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 3, blocking);
        producer.Allow(1);
        using var reader = await IncrementalReader.GetAsync(http2 ? host.Client2 : host.Client, $"/Probe/Numbers.{format}");
        Assert.Equal(HttpStatusCode.OK, reader.Response.StatusCode);
        await reader.ReadAsync(Wire(format, 0));
        Assert.Equal(1, producer.Given);

        producer.Allow(1);
        await reader.ReadAsync(Wire(format, 0, 1));
        Assert.Equal(2, producer.Given);

        producer.Allow(1);
        Assert.Equal(Wire(format, 0, 1, 2) + End(format, 3), await reader.ReadToEndAsync());
        await producer.StopsAsync();
    }

    [Fact]
    public async Task Items_that_wait_behind_a_blocked_producer_leave_all_the_same()
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 9, blocking: true);
        producer.Allow(5);
        using var reader = await IncrementalReader.GetAsync(host.Client, "/Probe/Numbers.ndjson");
        await reader.ReadAsync("0\n1\n2\n3\n4\n");
        Assert.Equal(5, producer.Given);
        producer.Allow(4);
        Assert.Equal("0\n1\n2\n3\n4\n5\n6\n7\n8\n", await reader.ReadToEndAsync());
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_caller_who_leaves_stops_the_producer(string format, bool http2, bool blocking)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 1000, blocking);
        producer.Allow(2);
        using (var reader = await IncrementalReader.GetAsync(http2 ? host.Client2 : host.Client, $"/Probe/Numbers.{format}"))
        {
            await reader.ReadAsync(Wire(format, 0, 1));
        }

        if (blocking)
        {
            // A blocked thread cannot be woken; it is checked after its next item. Until the server knows, items continue.
            while (!producer.Stopped.IsCompleted)
            {
                producer.Allow(1);
                await Task.WhenAny(producer.Stopped, Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System, Cancel));
            }
        }

        await producer.StopsAsync();
        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Information, 4203), (line.Level, line.Event));
        Assert.Matches(@"^Probe/Numbers: the caller disconnected after \d+ items; its producer stopped \d+\.\d ms later\.$", line.Text);
        Assert.InRange(producer.Given, 2, 999);
    }

    [Fact]
    public async Task A_producer_that_ignores_its_token_is_stopped_at_its_next_item()
    {
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", (_, _) => producer.Items(1000, heedsToken: false)));
        producer.Allow(1);
        using (var connection = await RawConnection.OpenAsync(host.Http1))
        {
            await connection.SendAsync("GET /Probe/Numbers.ndjson HTTP/1.1\nHost: x");
            await connection.ReadUntilAsync("\r\n0\n");
            connection.Reset();
        }

        while (!producer.Stopped.IsCompleted)
        {
            producer.Allow(1);
            await Task.WhenAny(producer.Stopped, Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System, Cancel));
        }

        Assert.InRange(producer.Given, 2, 999);
        Assert.Equal(4203, (await host.Log.NextAsync(Cancel)).Event);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_failure_after_some_items_is_never_taken_for_the_end(string format, bool http2, bool blocking)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 10, blocking, failAt: 3);
        producer.Allow(3);
        using var reader = await IncrementalReader.GetAsync(http2 ? host.Client2 : host.Client, $"/Probe/Numbers.{format}");
        await reader.ReadAsync(Wire(format, 0, 1, 2));
        producer.Allow(1);
        if (format == "sse")
        {
            var text = await reader.ReadToEndAsync();
            Assert.StartsWith(Wire(format, 0, 1, 2) + "id: $end\nevent: problem\ndata: {\"type\":\"urn:weir:problem:WEIR2007\"", text, StringComparison.Ordinal);
            Assert.EndsWith(",\"index\":3}\n\n", text, StringComparison.Ordinal);
        }
        else
        {
            await Assert.ThrowsAnyAsync<IOException>(reader.ReadToEndAsync);
            Assert.Equal(Wire(format, 0, 1, 2), reader.Text);
        }

        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Error, "failed on purpose"), (line.Level, line.Error?.Message));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task In_marked_lines_the_last_one_says_how_the_stream_ended(bool http2)
    {
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(
            Probe.Stream("Good", (_, _) => producer.Items(2)), Probe.Stream("Bad", (_, _) => producer.Items(9, failAt: 1)), Probe.Stream("Empty", (_, _) => producer.Items(0)));
        var client = http2 ? host.Client2 : host.Client;
        producer.Allow(4);

        using var good = await IncrementalReader.GetAsync(client, "/Probe/Good", Marked);
        Assert.Equal("0\n1\n{\"$weir\":{\"ok\":true,\"count\":2}}\n", await good.ReadToEndAsync());
        Assert.Equal(Marked, good.Response.Content.Headers.ContentType?.ToString());

        using var bad = await IncrementalReader.GetAsync(client, "/Probe/Bad.ndjson", Marked);
        var lines = (await bad.ReadToEndAsync()).Split('\n');
        Assert.Equal(["0", ""], [lines[0], lines[2]]);
        using var ending = JsonDocument.Parse(lines[1]);
        var weir = ending.RootElement.GetProperty("$weir");
        Assert.Equal(1, weir.GetProperty("index").GetInt32());
        Assert.Equal(WeirCodes.HandlerFailed, weir.GetProperty("problem").GetProperty("code").GetString());
        Assert.Equal("/Probe/Bad.ndjson", weir.GetProperty("problem").GetProperty("instance").GetString());

        using var empty = await IncrementalReader.GetAsync(client, "/Probe/Empty", Marked);
        Assert.Equal("{\"$weir\":{\"ok\":true,\"count\":0}}\n", await empty.ReadToEndAsync());
    }

    [Theory]
    [InlineData("json")]
    [InlineData("ndjson")]
    public async Task After_a_failure_the_wire_has_every_item_and_no_last_chunk(string format)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 50, blocking: false, failAt: 40);
        producer.Allow(50);
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"GET /Probe/Numbers.{format} HTTP/1.1\nHost: x");
        await connection.ReadToEndAsync();
        Assert.DoesNotContain("0\r\n\r\n", connection.Body, StringComparison.Ordinal);
        Assert.Equal(Wire(format, [.. Enumerable.Range(0, 40)]), Unchunk(connection.Body));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".ndjson")]
    public async Task A_filter_that_swallows_the_failure_does_not_make_the_stream_whole(string extension)
    {
        await using var host = await WeirHost.StartAsync(Probe.Stream("Swallowed", static (_, _) => FailAsync(), filters: [new SwallowsAttribute()]));
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"GET /Probe/Swallowed{extension} HTTP/1.1\nHost: x\nConnection: close");
        var received = await connection.ReadToEndAsync();
        Assert.Contains("HTTP/1.1 200", received, StringComparison.Ordinal);
        Assert.DoesNotContain("]", connection.Body, StringComparison.Ordinal);
        Assert.DoesNotContain("\r\n0\r\n", received, StringComparison.Ordinal);
        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal(4201, line.Event);

        static async IAsyncEnumerable<int> FailAsync()
        {
            yield return 1;
            await Task.Yield();
            throw new InvalidOperationException("in the middle");
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_failure_before_the_first_item_is_an_ordinary_problem(string format, bool http2, bool blocking)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 10, blocking, failAt: 0);
        producer.Allow(1);
        var client = http2 ? host.Client2 : host.Client;
        using var response = await client.GetAsync($"/Probe/Numbers.{format}", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.False(response.Headers.Contains("X-Accel-Buffering"));
    }

    [Fact]
    public async Task A_status_of_the_operations_choice_before_the_first_item_is_that_status()
    {
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", static (_, _) => throw new OperationStatusException(404, "nothing to count")));
        using var response = await host.Client.GetAsync("/Probe/Numbers", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Equal("nothing to count", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task A_status_without_a_body_is_no_status_of_a_stream()
    {
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", static (_, context) =>
        {
            context.StatusCode = 304;
            return AsyncEnumerable.Range(0, 1);
        }));
        using var response = await host.Client.GetAsync("/Probe/Numbers", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Contains("status 304", (await host.Log.NextAsync(Cancel)).Error?.Message ?? "", StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("json", "[]")]
    [InlineData("ndjson", "")]
    [InlineData("sse", "id: $end\nevent: end\ndata: {\"count\":0}\n\n")]
    public async Task An_empty_stream_is_200_and_empty(string format, string body)
    {
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", static (_, _) => AsyncEnumerable.Empty<int>()));
        using var response = await host.Client.GetAsync($"/Probe/Numbers.{format}", Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(body, await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task Nothing_on_the_way_may_hold_items_back()
    {
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", static (_, context) =>
        {
            context.Headers["X-Count"] = "1";
            return AsyncEnumerable.Range(0, 1);
        }));
        using var response = await host.Client.GetAsync("/Probe/Numbers", Cancel);
        Assert.Equal(["no"], response.Headers.GetValues("X-Accel-Buffering"));
        Assert.Equal("no-cache, no-transform", string.Join(", ", response.Headers.NonValidated["Cache-Control"]));
        Assert.Equal(["1"], response.Headers.GetValues("X-Count"));
    }

    [Theory]
    [InlineData("json", false)]
    [InlineData("ndjson", true)]
    [InlineData("sse", true)]
    public async Task A_silent_stream_says_that_it_is_alive(string format, bool blocking)
    {
        using var producer = new Producer();
        await using var host = await StartAsync(producer, count: 2, blocking, options: static options => options.HeartbeatInterval = TimeSpan.FromMilliseconds(30));
        var beat = format switch { "json" => " ", "sse" => ": \n\n", _ => "\n" };
        using var reader = await IncrementalReader.GetAsync(host.Client, $"/Probe/Numbers.{format}");
        await reader.ReadPastAsync(beat + beat);
        producer.Allow(2);
        var text = await reader.ReadToEndAsync();
        Assert.Equal(
            Wire(format, 0, 1) + End(format, 2),
            format == "ndjson" ? string.Concat(text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line + "\n")) : text.Replace(beat, "", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_is_given_up()
    {
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(
            static options => options.ReaderStallTimeout = TimeSpan.FromMilliseconds(200),
            Probe.Stream("Numbers", static (_, context) => Endless(context.CancellationToken)));
        using var connection = await RawConnection.OpenAsync(host.Http1, receiveBuffer: 4096);
        await connection.SendAsync("GET /Probe/Numbers.ndjson HTTP/1.1\nHost: x");
        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Warning, 4204), (line.Level, line.Event));
        Assert.Contains("Probe/Numbers", line.Text, StringComparison.Ordinal);
        Assert.Contains(nameof(WeirServerOptions.ReaderStallTimeout), line.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("0\r\n\r\n", await connection.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("$end", HttpStatusCode.NoContent)]
    [InlineData("0", HttpStatusCode.NoContent)]
    [InlineData("anything", HttpStatusCode.NoContent)]
    [InlineData(null, HttpStatusCode.OK)]
    public async Task A_stream_that_is_not_resumable_never_repeats_items_for_a_reader_that_connects_again(string? id, HttpStatusCode status)
    {
        var runs = 0;
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", (_, _) =>
        {
            Interlocked.Increment(ref runs);
            return AsyncEnumerable.Range(0, 1);
        }));
        string[] formats = ["text/event-stream", Marked, "application/x-ndjson", "application/json"];
        foreach (var format in formats)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "/Probe/Numbers");
            request.Headers.TryAddWithoutValidation("Accept", format);
            if (id is not null)
            {
                request.Headers.TryAddWithoutValidation("Last-Event-ID", id);
            }

            using var response = await host.Client.SendAsync(request, Cancel);
            Assert.Equal(status, response.StatusCode);
        }

        Assert.Equal(id is null ? formats.Length : 0, runs);
    }

    [Fact]
    public async Task A_deadline_in_the_middle_ends_the_stream_as_what_it_is()
    {
        using var producer = new Producer();
        await using var host = await WeirHost.StartAsync(Probe.Stream("Numbers", (_, context) => producer.Items(9, cancellationToken: context.CancellationToken)));
        producer.Allow(1);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/Probe/Numbers");
        request.Headers.TryAddWithoutValidation("Accept", Marked);
        request.Headers.Add("Weir-Deadline-Ms", "1000");
        using var response = await host.Client.SendAsync(request, Cancel);
        var lines = (await response.Content.ReadAsStringAsync(Cancel)).Split('\n');
        Assert.Equal("0", lines[0]);
        Assert.Contains("\"status\":504", lines[1], StringComparison.Ordinal);
        await producer.StopsAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Many_streams_at_once_keep_their_items_apart(bool http2)
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Stream("Numbers", static (a, _) => Mixed((int)a["from"]!), [Probe.Int("from")]),
            Probe.Stream("Blocking", static (a, _) => Enumerable.Range((int)a["from"]!, 3000), [Probe.Int("from")], placement: Placement.Lane));
        var client = http2 ? host.Client2 : host.Client;
        await Task.WhenAll(Enumerable.Range(0, 40).Select(async n =>
        {
            var from = n * 10_000;
            var text = await client.GetStringAsync($"/Probe/{(n % 2 == 0 ? "Numbers" : "Blocking")}.ndjson?from={from}", Cancel);
            Assert.Equal(string.Concat(Enumerable.Range(from, 3000).Select(static i => $"{i}\n")), text);
        }));

        static async IAsyncEnumerable<int> Mixed(int from)
        {
            for (var i = 0; i < 3000; i++)
            {
                if (i % 100 == 0)
                {
                    await Task.Yield();
                }

                yield return from + i;
            }
        }
    }

    private static async IAsyncEnumerable<int> Endless([System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (var i = 0; ; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (i % 1000 == 0)
            {
                await Task.Yield();
            }

            yield return i;
        }
    }

    private static Task<WeirHost> StartAsync(Producer producer, int count, bool blocking, int failAt = -1, Action<WeirServerOptions>? options = null) => WeirHost.StartAsync(
        options,
        blocking
            ? Probe.Stream("Numbers", (_, _) => producer.Blocking(count, failAt), placement: Placement.Lane)
            : Probe.Stream("Numbers", (_, context) => producer.Items(count, failAt: failAt, cancellationToken: context.CancellationToken)));

    private static string Wire(string format, params int[] items) => format switch
    {
        "json" => "[" + string.Join(',', items),
        "sse" => string.Concat(items.Select(static item => string.Create(CultureInfo.InvariantCulture, $"id: {item}\ndata: {item}\n\n"))),
        _ => string.Concat(items.Select(static item => string.Create(CultureInfo.InvariantCulture, $"{item}\n"))),
    };

    private static string End(string format, int count) => format switch
    {
        "json" => "]",
        "sse" => $"id: $end\nevent: end\ndata: {{\"count\":{count}}}\n\n",
        _ => "",
    };

    private static string Unchunk(string body)
    {
        var text = new StringBuilder();
        while (body.IndexOf("\r\n", StringComparison.Ordinal) is var end and > 0)
        {
            var length = int.Parse(body.AsSpan(0, end), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            text.Append(body, end + 2, length);
            body = body[(end + 2 + length + 2)..];
        }

        return text.ToString();
    }

    private sealed class SwallowsAttribute : OperationFilterAttribute
    {
        public override async ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            try
            {
                await next();
            }
            catch (InvalidOperationException)
            {
                // Logs nothing.
            }
        }
    }
}
