using System.Collections.Concurrent;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Weir.Load.Clients;
using Weir.Load.Connecting;
using Weir.Load.Raw;

namespace Weir.Load.Tests;

/// <summary>Whole load tests over both engines, against Kestrel and against servers that do what no good server does.</summary>
public sealed class LoadTestTests
{
    private static readonly TimeSpan Stall = TimeSpan.FromSeconds(2);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<bool> Engines => OperatingSystem.IsLinux() ? [true, false] : [false];

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_closed_load_sends_the_number_of_requests_that_was_asked_for(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 7, Requests = 1_001 });
        Assert.Equal((1_001, 0), (report.Requests, report.Errors));
        Assert.Equal(1_001, report.ServiceTime.Count);
        Assert.Equal(report.ServiceTime, report.ResponseTime);
        Assert.True(report.BytesReceived >= 1_001 * "Hello".Length);
        Assert.Equal(0, report.Lateness.Count);
        Assert.Null(report.FirstByte);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_open_load_sends_at_its_rate(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 8, Rate = 200, Duration = TimeSpan.FromSeconds(1) });
        Assert.Equal((200, 0), (report.Requests, report.Errors));
        Assert.Equal(200, report.Lateness.Count);
        Assert.InRange(report.Seconds, 0.99, 10);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Requests_of_the_warm_up_are_not_counted(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = AddressOf(app, "/hello"),
            Rate = 100,
            WarmUp = TimeSpan.FromSeconds(0.5),
            Duration = TimeSpan.FromSeconds(0.5),
        });
        Assert.Equal(50, report.Requests);
        Assert.Equal(50, report.ResponseTime.Count);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_server_that_stalls_once_shows_in_the_response_time_of_the_open_model(bool isRaw)
    {
        // One connection: nothing that is due during the stall can be sent.
        await using var server = Stalling(at: 20);
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Rate = 100, Duration = TimeSpan.FromSeconds(4) });

        // 200 of 400 requests were due during the stall of two seconds, which a timer may end a tick early; the service time shows a single slow request.
        Assert.Equal((400, 0), (report.Requests, report.Errors));
        Assert.True(report.ResponseTime.Max >= 1_990, $"the longest response time is {report.ResponseTime.Max} ms");
        Assert.True(report.ResponseTime.P99 >= 1_900, $"p99 of the response time is {report.ResponseTime.P99} ms");
        Assert.True(report.ServiceTime.Max >= 1_990, $"the longest service time is {report.ServiceTime.Max} ms");
        Assert.True(report.ServiceTime.P99 < 1_000, $"p99 of the service time is {report.ServiceTime.P99} ms");
        Assert.True(report.ConnectionWait.P90 > report.Lateness.P90, "the wait is the server's, not the generator's");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_server_that_stalls_once_is_one_slow_request_in_the_closed_model(bool isRaw)
    {
        await using var server = Stalling(at: 20);
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 400 });
        Assert.True(report.ResponseTime.Max >= 2_000);
        Assert.True(report.ResponseTime.P99 < 1_000);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Statuses_are_counted_by_their_number(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/busy"), Connections = 3, Requests = 30 });
        Assert.Equal(30, report.Errors);
        Assert.Equal(30, report.ErrorsByKind["status 503"]);
        Assert.Equal(0, report.Rate);
        Assert.Equal(30, report.ServiceTime.Count);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_server_that_is_not_there_is_an_exception(bool isRaw)
    {
        var server = ScriptedServer.Answering(ScriptedServer.Ok);
        var address = server.Address;
        await server.DisposeAsync();
        var failure = await Assert.ThrowsAsync<HttpRequestException>(() => RunAsync(isRaw, new LoadOptions { Address = address, Requests = 10 }));
        Assert.Equal(HttpRequestError.ConnectionError, failure.HttpRequestError);
        Assert.Contains("connection refused", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Connections_that_are_closed_within_a_response_are_errors_and_are_opened_again(bool isRaw)
    {
        await using var server = new ScriptedServer(static async (number, connection) =>
        {
            await ScriptedServer.SendAsync(connection, number % 3 == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf" : ScriptedServer.Ok);
            if (number % 3 == 0)
            {
                connection.Shutdown(System.Net.Sockets.SocketShutdown.Both);
            }
        });
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Requests = 30 });
        Assert.Equal((30, 10), (report.Requests, report.Errors));
        Assert.Equal(10, report.ErrorsByKind["connection closed"]);
        Assert.Equal(20, report.ServiceTime.Count);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_server_that_goes_away_is_refused_connections(bool isRaw)
    {
        var server = default(ScriptedServer);
        await using (server = new ScriptedServer(async (number, connection) =>
        {
            if (number == 5)
            {
                await server!.DisposeAsync();
                return;
            }

            await ScriptedServer.SendAsync(connection, ScriptedServer.Ok);
        }))
        {
            var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 10 });
            Assert.Equal((10, 6), (report.Requests, report.Errors));

            // The client sends a request again whose connection was closed before a byte of its response.
            Assert.Equal(isRaw ? 5 : 6, report.ErrorsByKind["connection refused"]);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_request_without_an_answer_times_out_and_counts_with_the_time_it_took(bool isRaw)
    {
        await using var server = new ScriptedServer(static (number, connection) => number == 2 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 5, Timeout = TimeSpan.FromMilliseconds(300) });
        Assert.Equal((5, 1), (report.Requests, report.Errors));
        Assert.Equal(1, report.ErrorsByKind["timed out"]);
        Assert.Equal(5, report.ServiceTime.Count);
        Assert.True(report.ServiceTime.Max >= 299, $"the longest is {report.ServiceTime.Max} ms");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_open_load_that_the_server_never_answers_ends_and_counts_everything_that_was_due(bool isRaw)
    {
        await using var server = new ScriptedServer(static (_, _) => Task.CompletedTask);
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = server.Address,
            Connections = 2,
            Rate = 100,
            Duration = TimeSpan.FromSeconds(0.5),
            Timeout = TimeSpan.FromMilliseconds(400),
        });
        Assert.Equal((50, 50), (report.Requests, report.Errors));
        Assert.Equal(50, report.ErrorsByKind.Values.Sum());
        Assert.True(report.ErrorsByKind["not sent"] > 0);
        Assert.True(report.ResponseTime.P50 >= 299, $"p50 is {report.ResponseTime.P50} ms");
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", 3, 3)]
    [InlineData("HTTP/1.1 204 No Content\r\n\r\n", 3, 3)]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 3, 3)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 3, 30)]
    public async Task Every_form_of_a_response_has_an_end(string response, int fewest, int most)
    {
        foreach (var isRaw in Engines.Select(static row => row.Data))
        {
            await using var server = ScriptedServer.Answering(response);
            var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 3, Requests = 30 });
            Assert.Equal((30, 0), (report.Requests, report.Errors));

            // The client opens its own when they are needed.
            Assert.InRange(server.Accepted, isRaw ? fewest : 1, most + 1);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_body_may_end_with_its_connection(bool isRaw)
    {
        await using var server = new ScriptedServer(static async (_, connection) =>
        {
            await ScriptedServer.SendAsync(connection, "HTTP/1.1 200 OK\r\n\r\nto the end");
            connection.Shutdown(System.Net.Sockets.SocketShutdown.Both);
        });
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Requests = 10 });
        Assert.Equal((10, 0), (report.Requests, report.Errors));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task What_is_no_response_is_an_error(bool isRaw)
    {
        await using var server = ScriptedServer.Answering("220 smtp.example.com ESMTP\r\n\r\n");
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 3 });
        Assert.Equal(3, report.ErrorsByKind["invalid response"]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Method_headers_and_body_arrive(bool isRaw)
    {
        await using var app = await StartAsync();
        var seen = new ConcurrentBag<string>();
        app.MapPut("/echo", async (HttpRequest request) =>
        {
            using var reader = new StreamReader(request.Body);
            seen.Add($"{request.Headers["X-One"]} {request.ContentType} {await reader.ReadToEndAsync()}");
        });
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = AddressOf(app, "/echo"),
            Connections = 2,
            Requests = 4,
            Method = HttpMethod.Put,
            Headers = [new("X-One", "1"), new("Content-Type", "text/plain")],
            Body = Encoding.UTF8.GetBytes("the body"),
        });
        Assert.Equal((4, 0), (report.Requests, report.Errors));
        Assert.Equal(4, seen.Count);
        Assert.All(seen, static text => Assert.Equal("1 text/plain the body", text));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_answer_to_HEAD_has_no_body(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 2, Requests = 10, Method = HttpMethod.Head });
        Assert.Equal((10, 0), (report.Requests, report.Errors));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Items_of_a_stream_are_counted_and_their_gaps_measured(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/lines?count=5&ms=50"), Connections = 2, Requests = 4, IsStream = true });
        Assert.Equal((4, 0, 20), (report.Requests, report.Errors, report.Items));
        Assert.Equal(4, report.FirstByte!.Value.Count);
        Assert.Equal(16, report.ItemGap!.Value.Count);
        Assert.True(report.ItemGap!.Value.P50 >= 25, $"p50 of the gap is {report.ItemGap!.Value.P50} ms");
        Assert.True(report.FirstByte!.Value.P50 < report.ServiceTime.P50);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_stream_that_is_left_early_counts_as_success(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions
        {
            Address = AddressOf(app, "/lines?count=100000&ms=10"),
            Connections = 2,
            Requests = 6,
            IsStream = true,
            AbortAfter = 3,
        });
        Assert.Equal((6, 0, 18), (report.Requests, report.Errors, report.Items));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Cancellation_ends_the_test_and_every_connection(bool isRaw)
    {
        await using var server = new ScriptedServer(static (_, _) => Task.CompletedTask);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Token);
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 5, Duration = TimeSpan.FromMinutes(5) }, cancellation.Token);
        await UntilAsync(() => server.Requests == 5);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
        await UntilAsync(() => server.Open == 0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_closed_load_that_is_stopped_reports_what_ended_until_then(bool isRaw)
    {
        await using var server = new ScriptedServer(static (number, connection) => number > 100 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        using var stopping = new CancellationTokenSource();
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 5, Duration = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
        await UntilAsync(() => server.Requests == 105);
        await stopping.CancelAsync();
        var report = await run;
        Assert.Equal((100, 0, 5, true), (report.Requests, report.Errors, report.Unfinished, report.IsStopped));
        Assert.Equal(100, report.ServiceTime.Count);
        Assert.InRange(report.Seconds, 0.0001, 60);
        Assert.Equal(100 / report.Seconds, report.Rate, 0.001);
        await UntilAsync(() => server.Open == 0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_open_load_that_is_stopped_counts_what_was_due_and_had_not_ended(bool isRaw)
    {
        // Two requests are in flight; what is due after them has no connection.
        await using var server = new ScriptedServer(static (number, connection) => number > 10 ? Task.CompletedTask : ScriptedServer.SendAsync(connection, ScriptedServer.Ok));
        using var stopping = new CancellationTokenSource();
        var watch = System.Diagnostics.Stopwatch.StartNew();
        var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Rate = 200, Duration = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
        await UntilAsync(() => server.Requests == 12);
        await Task.Delay(100, Token);
        await stopping.CancelAsync();
        var report = await run;
        Assert.Equal((10, 0, true), (report.Requests, report.Errors, report.IsStopped));
        Assert.InRange(report.Unfinished, 2 + 19, (200 * watch.Elapsed.TotalSeconds) - 9);
        Assert.InRange(report.Seconds, 0.1, watch.Elapsed.TotalSeconds);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_load_that_is_stopped_in_its_warm_up_has_measured_nothing(bool isRaw)
    {
        await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
        foreach (var rate in (double?[])[null, 200])
        {
            using var stopping = new CancellationTokenSource();
            var seen = server.Requests;
            var run = RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Rate = rate, WarmUp = TimeSpan.FromMinutes(5) }, stopping: stopping.Token);
            await UntilAsync(() => server.Requests > seen + 3);
            await stopping.CancelAsync();
            var report = await run;
            Assert.Equal((0, 0, 0.0, 0.0, true), (report.Requests, report.Unfinished, report.Seconds, report.Rate, report.IsStopped));
        }
    }

    [Fact]
    public async Task A_load_that_is_stopped_before_it_begins_is_cancelled()
    {
        await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
        var options = new LoadOptions { Address = server.Address };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => LoadTest.RunAsync(options, null, new CancellationToken(canceled: true), Token));
        Assert.Equal(0, server.Requests);
    }

    [Fact]
    public async Task HTTP_2_goes_over_the_client()
    {
        await using var app = await StartAsync(HttpProtocols.Http2);
        var report = await LoadTest.RunAsync(
            new LoadOptions { Address = AddressOf(app, "/protocol"), Connections = 5, Requests = 100, HttpVersion = HttpVersion.Version20 }, cancellationToken: Token);
        Assert.Equal((100, 0), (report.Requests, report.Errors));
        Assert.Equal(100 * "HTTP/2".Length, report.BytesReceived);
    }

    [Fact]
    public async Task Progress_is_reported_while_the_test_runs()
    {
        await using var app = await StartAsync();
        var reports = new ConcurrentQueue<LoadProgress>();
        var report = await LoadTest.RunAsync(
            new LoadOptions { Address = AddressOf(app, "/hello"), Rate = 50, Duration = TimeSpan.FromSeconds(1) }, new Synchronous(reports.Enqueue), Token);
        Assert.True(reports.Count >= 3, $"{reports.Count} reports");
        Assert.Equal(report.Requests, reports.Last().Requests);
    }

    // As LoadTest does it, with an engine of the test's choice.
    private static async Task<LoadReport> RunAsync(bool isRaw, LoadOptions options, CancellationToken? cancellation = null, CancellationToken stopping = default)
    {
        options.Check();
        var token = cancellation ?? Token;
        var server = await ServerAddress.FindAsync(options, token);
        using ILoadEngine engine = isRaw ? new RawEngine(options, server, token) : new ClientEngine(options, server);
        return await LoadRun.RunAsync(options, engine, progress: null, stopping, token);
    }

    private static ScriptedServer Stalling(int at) => new(async (number, connection) =>
    {
        if (number == at)
        {
            await Task.Delay(Stall);
        }

        await ScriptedServer.SendAsync(connection, ScriptedServer.Ok);
    });

    private static async Task UntilAsync(Func<bool> condition)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(10), "it did not happen within 10 s");
            await Task.Delay(5, Token);
        }
    }

    private static async Task<WebApplication> StartAsync(HttpProtocols protocols = HttpProtocols.Http1)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocols));
        var app = builder.Build();
        app.MapMethods("/hello", ["GET", "HEAD"], static () => "Hello");
        app.MapGet("/protocol", static (HttpRequest request) => request.Protocol);
        app.MapGet("/busy", static () => Results.StatusCode(503));
        app.MapGet("/lines", static async (HttpResponse response, int count, int ms, CancellationToken cancellation) =>
        {
            response.ContentType = "application/x-ndjson";
            for (var i = 0; i < count; i++)
            {
                await response.WriteAsync($"{{\"id\":{i}}}\n", cancellation);
                await response.Body.FlushAsync(cancellation);
                await Task.Delay(ms, cancellation);
            }
        });
        await app.StartAsync(Token);
        return app;
    }

    private static Uri AddressOf(WebApplication app, string path) =>
        new(new Uri(((IApplicationBuilder)app).ServerFeatures.Get<IServerAddressesFeature>()!.Addresses.Single()), path);

    private sealed class Synchronous(Action<LoadProgress> report) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value) => report(value);
    }
}
