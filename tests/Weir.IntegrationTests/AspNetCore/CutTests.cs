using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>
/// Requests that the server itself cancels: by a request timeout, by a middleware that puts a token of its own in the place of
/// <c>RequestAborted</c>, or because it shuts down. The client is still there, and must never take what it got for complete.
/// </summary>
public sealed class CutTests
{
    private const int Items = 100;
    private const int Limit = 120_000;
    private const string Marked = "application/x-ndjson; weir=1";

    private static readonly TimeSpan Never = TimeSpan.FromDays(1);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, bool> EveryWay
    {
        get
        {
            var ways = new TheoryData<string, string, bool>();
            foreach (var service in (string[])["InlineCut", "LaneCut", "IsolatedCut"])
            {
                foreach (var format in (string[])["json", "ndjson", "weir=1", "sse"])
                {
                    ways.Add(service, format, false);
                    ways.Add(service, format, true);
                }
            }

            return ways;
        }
    }

    public static TheoryData<string, bool> EveryForm
    {
        get
        {
            var forms = new TheoryData<string, bool>();
            foreach (var format in (string[])["json", "ndjson", "weir=1", "sse"])
            {
                forms.Add(format, false);
                forms.Add(format, true);
            }

            return forms;
        }
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(EveryWay))]
    public async Task A_token_of_a_middleware_that_fires_behind_any_item_breaks_the_stream_off(string service, string format, bool http2)
    {
        var cuts = new ConcurrentDictionary<string, CancellationTokenSource>();
        await using var host = await StartAsync(app => app.Use((http, next) => WithinAsync(http, next, cuts)));
        var client = http2 ? host.Client2 : host.Client;

        // As many at once as there are workers, where there are any.
        await Parallel.ForEachAsync(Enumerable.Range(0, Items), new ParallelOptions { MaxDegreeOfParallelism = service == "IsolatedCut" ? 4 : 50, CancellationToken = Cancel }, async (items, _) =>
        {
            using var cut = cuts[$"{items}"] = new CancellationTokenSource();
            var path = $"/{service}/Numbers{(format == "weir=1" ? "" : "." + format)}?n={items}&cut={items}";
            if (items == 0)
            {
                // Nothing was sent: the middleware's own answer.
                var asking = GetAsync(client, path, format);
                await cut.CancelAsync();
                using var answer = await asking;
                Assert.Equal((HttpStatusCode.GatewayTimeout, ""), (answer.StatusCode, await answer.Content.ReadAsStringAsync(Cancel)));
                return;
            }

            using var response = await GetAsync(client, path, format);
            using var reader = new IncrementalReader(response);
            await reader.ReadAsync(Wire(format, items));
            await cut.CancelAsync();
            await AssertBrokenOffAsync(reader, format, items);
        });
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(EveryForm))]
    public async Task A_request_timeout_behind_any_item_breaks_the_stream_off(string format, bool http2)
    {
        await using var host = await StartAsync(
            static app => app.UseRequestTimeouts(),
            static mapped => mapped.WithRequestTimeout(TimeSpan.FromMilliseconds(500)),
            static builder => builder.Services.AddRequestTimeouts());
        var client = http2 ? host.Client2 : host.Client;
        await Task.WhenAll(Enumerable.Range(0, Items).Select(async items =>
        {
            using var response = await GetAsync(client, $"/InlineCut/Numbers{(format == "weir=1" ? "" : "." + format)}?n={items}", format);

            // On a machine so busy that no item was sent in half a second, the answer is the same as for a stream without items.
            if (items == 0 || response.StatusCode == HttpStatusCode.GatewayTimeout)
            {
                Assert.Equal((HttpStatusCode.GatewayTimeout, ""), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
                return;
            }

            using var reader = new IncrementalReader(response);
            await AssertBrokenOffAsync(reader, format, items);
        }));
        Assert.Contains(host.Log.Lines, static line => line.Event == 4206 && line.Level == LogLevel.Information);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Event == 4203 || line.Level >= LogLevel.Error);
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(EveryForm))]
    public async Task A_host_that_shuts_down_breaks_its_streams_off(string format, bool http2)
    {
        var host = await StartAsync(services: static builder => builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromMilliseconds(800)));
        var client = http2 ? host.Client2 : host.Client;
        using var response = await GetAsync(client, $"/InlineCut/Numbers{(format == "weir=1" ? "" : "." + format)}?n=3", format);
        using var reader = new IncrementalReader(response);
        await reader.ReadAsync(Wire(format, 3));
        var ending = host.StopAsync();
        await AssertBrokenOffAsync(reader, format, 3);
        await ending;
        Assert.Contains(host.Log.Lines, static line => line.Event == 4207 && line.Level == LogLevel.Information);
        Assert.DoesNotContain(host.Log.Lines, static line => line.Event == 4203);
        await host.DisposeAsync();
    }

    [Theory(Timeout = Limit)]
    [InlineData("InlineCut")]
    [InlineData("IsolatedCut")]
    public async Task A_stream_without_an_item_is_answered_with_503_when_its_host_shuts_down(string service)
    {
        var arrived = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await StartAsync(
            app => app.Use((http, next) =>
            {
                arrived.TrySetResult();
                return next(http);
            }),
            services: static builder => builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(2)));
        var answering = host.Client.GetAsync($"/{service}/Numbers.ndjson?n=0", Cancel);
        await arrived.Task;
        var ending = host.StopAsync();
        using var response = await answering;
        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Contains("WEIR2013", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        await ending;
        await host.DisposeAsync();
    }

    [Theory(Timeout = Limit)]
    [InlineData(false, "{\"$weir\":{\"problem\":{\"type\":\"urn:weir:problem:WEIR2013\"")]
    [InlineData(true, "{\"$weir\":{\"problem\":{\"type\":\"urn:weir:problem:WEIR2010\"")]
    public async Task In_marked_lines_the_last_one_says_what_cut_the_stream(bool timesOut, string ending)
    {
        var cuts = new ConcurrentDictionary<string, CancellationTokenSource>();
        await using var host = await StartAsync(
            app => _ = timesOut ? app.UseRequestTimeouts() : app.Use((http, next) => WithinAsync(http, next, cuts)),
            mapped => mapped.WithRequestTimeout(TimeSpan.FromMilliseconds(500)),
            static builder => builder.Services.AddRequestTimeouts());

        // An abort may overtake what was written before it on a machine that is busy; it seldom does.
        var seen = "";
        for (var attempt = 0; attempt < 10 && !seen.Contains(ending, StringComparison.Ordinal); attempt++)
        {
            using var cut = cuts["it"] = new CancellationTokenSource();
            using var response = await GetAsync(host.Client, "/InlineCut/Numbers?n=2&cut=it", "weir=1");
            using var reader = new IncrementalReader(response);
            await reader.ReadPastAsync("0\n1\n");
            await cut.CancelAsync();
            await Assert.ThrowsAnyAsync<IOException>(reader.ReadToEndAsync);
            seen = reader.Text;
        }

        Assert.StartsWith("0\n1\n" + ending, seen, StringComparison.Ordinal);
        Assert.EndsWith(",\"index\":2}}\n", seen, StringComparison.Ordinal);
    }

    [Theory(Timeout = Limit)]
    [InlineData("InlineCut", false)]
    [InlineData("InlineCut", true)]
    [InlineData("LaneCut", false)]
    [InlineData("IsolatedCut", false)]
    public async Task A_single_result_that_was_cancelled_is_the_middlewares_own_answer(string service, bool http2)
    {
        await using var host = await StartAsync(
            static app => app.UseRequestTimeouts(),
            static mapped => mapped.WithRequestTimeout(TimeSpan.FromMilliseconds(100)),
            static builder => builder.Services.AddRequestTimeouts());
        using var response = await (http2 ? host.Client2 : host.Client).GetAsync($"/{service}/Never", Cancel);
        Assert.Equal(HttpStatusCode.GatewayTimeout, response.StatusCode);
        var line = await host.Log.NextAsync(Cancel);
        Assert.Equal((LogLevel.Information, 4205, $"{service}/Never: the request timeout of the application passed before the result."), (line.Level, line.Event, line.Text));
    }

    [Theory(Timeout = Limit)]
    [InlineData("InlineAsync/Later")]
    [InlineData("IsolatedAsync/Later")]
    public async Task A_body_that_does_not_come_in_time_is_the_middlewares_own_answer(string path)
    {
        await using var host = await StartAsync(
            static app => app.UseRequestTimeouts(),
            static mapped => mapped.WithRequestTimeout(TimeSpan.FromMilliseconds(100)),
            static builder => builder.Services.AddRequestTimeouts());
        using var connection = await RawConnection.OpenAsync(host.Http1);
        await connection.SendAsync($"POST /{path} HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 14", "{\"text\"");
        await connection.ReadUntilAsync("HTTP/1.1 504 ");
    }

    [Fact(Timeout = Limit)]
    public async Task A_stream_whose_reader_takes_nothing_is_broken_off_all_the_same()
    {
        using var cut = new CancellationTokenSource();
        var cuts = new ConcurrentDictionary<string, CancellationTokenSource> { ["it"] = cut };
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Probe.Stream("Numbers", static (_, context) => Endless(context.CancellationToken)))],
            Options = static options => options.ReaderStallTimeout = null,
            Before = app => app.Use((http, next) => WithinAsync(http, next, cuts)),
        });
        using var connection = await RawConnection.OpenAsync(host.Http1, receiveBuffer: 4096);
        await connection.SendAsync("GET /Probe/Numbers.ndjson?cut=it HTTP/1.1\nHost: x");
        await connection.ReadUntilAsync("\r\n0\n");
        await cut.CancelAsync();

        // Nothing is read before the server has given up.
        Assert.Equal(4203, (await host.Log.NextAsync(Cancel)).Event);
        Assert.DoesNotContain("0\r\n\r\n", await connection.ReadToEndAsync(), StringComparison.Ordinal);
    }

    private static async IAsyncEnumerable<int> Endless([System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await Task.Yield();
        for (var i = 0; !cancellationToken.IsCancellationRequested; i++)
        {
            yield return i;
        }
    }

    private static Task<WeirHost> StartAsync(
        Action<WebApplication>? before = null, Action<IEndpointConventionBuilder>? mapped = null, Action<WebApplicationBuilder>? services = null) => WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = static options => TestPools.StartOnDemand(options, static pool =>
            {
                pool.MaxWorkers = 4;
                pool.StartTimeout = TimeSpan.FromMinutes(1);
            }),
            Options = static options => options.HeartbeatInterval = Never,
            Services = services,
            Before = before,
            After = (_, builder) => mapped?.Invoke(builder),
        });

    // As middleware does that has a reason of its own to give up: the token of the query's name, linked to the server's.
    private static async Task WithinAsync(HttpContext http, RequestDelegate next, ConcurrentDictionary<string, CancellationTokenSource> cuts)
    {
        var own = cuts[http.Request.Query["cut"]!].Token;
        var server = http.RequestAborted;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(server, own);
        http.RequestAborted = either.Token;
        try
        {
            await next(http);
        }
        catch (OperationCanceledException) when (own.IsCancellationRequested && !http.Response.HasStarted)
        {
            http.Response.StatusCode = StatusCodes.Status504GatewayTimeout;
        }
        finally
        {
            http.RequestAborted = server;
        }
    }

    private static async Task<HttpResponseMessage> GetAsync(HttpClient client, string path, string format)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path) { Version = client.DefaultRequestVersion, VersionPolicy = client.DefaultVersionPolicy };
        if (format == "weir=1")
        {
            request.Headers.TryAddWithoutValidation("Accept", Marked);
        }

        return await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
    }

    // The items, then perhaps the problem where the format has words for it, and then an error of the connection or of the h2 stream.
    private static async Task AssertBrokenOffAsync(IncrementalReader reader, string format, int items)
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(reader.ReadToEndAsync);
        Assert.True(error is IOException or HttpRequestException, error.ToString());
        var expected = Wire(format, items);
        Assert.StartsWith(reader.Text[..Math.Min(expected.Length, reader.Text.Length)], expected, StringComparison.Ordinal);
        Assert.DoesNotContain("\"ok\":true", reader.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("event: end", reader.Text, StringComparison.Ordinal);
        if (format is "json" or "ndjson")
        {
            Assert.InRange(reader.Text.Length, 0, expected.Length);
        }
    }

    private static string Wire(string format, int items) => format switch
    {
        "json" => "[" + string.Join(',', Enumerable.Range(0, items)),
        "sse" => string.Concat(Enumerable.Range(0, items).Select(static item => string.Create(CultureInfo.InvariantCulture, $"id: {item}\ndata: {item}\n\n"))),
        _ => string.Concat(Enumerable.Range(0, items).Select(static item => string.Create(CultureInfo.InvariantCulture, $"{item}\n"))),
    };
}
