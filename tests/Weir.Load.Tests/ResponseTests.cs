using System.Collections.Concurrent;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using static Weir.Load.Tests.Loads;

namespace Weir.Load.Tests;

/// <summary>Responses of every form, and streams, over both engines.</summary>
public sealed class ResponseTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", 3, 3)]
    [InlineData("HTTP/1.1 204 No Content\r\n\r\n", 3, 3)]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 3, 3)]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 3, 30)]
    public async Task Every_form_of_a_response_has_an_end(string response, int fewest, int most)
    {
        foreach (var isRaw in Loads.Engines.Select(static row => row.Data))
        {
            await using var server = ScriptedServer.Answering(response);
            var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 3, Requests = 30 });
            Assert.Equal((30, 0), (report.Requests, report.Errors));

            // The client opens its own when they are needed.
            Assert.InRange(server.Accepted, isRaw ? fewest : 1, most + 1);
        }
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
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
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task What_is_no_response_is_an_error(bool isRaw)
    {
        await using var server = ScriptedServer.Answering("220 smtp.example.com ESMTP\r\n\r\n");
        var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 1, Requests = 3 });
        Assert.Equal(3, report.ErrorsByKind["invalid response"]);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
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
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task The_answer_to_HEAD_has_no_body(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/hello"), Connections = 2, Requests = 10, Method = HttpMethod.Head });
        Assert.Equal((10, 0), (report.Requests, report.Errors));
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
    public async Task Items_of_a_stream_are_counted_and_their_gaps_measured(bool isRaw)
    {
        await using var app = await StartAsync();
        var report = await RunAsync(isRaw, new LoadOptions { Address = AddressOf(app, "/lines?count=5&ms=25"), Connections = 2, Requests = 4, IsStream = true });
        Assert.Equal((4, 0, 20), (report.Requests, report.Errors, report.Items));
        Assert.Equal(4, report.FirstByte!.Value.Count);
        Assert.Equal(16, report.ItemGap!.Value.Count);
        Assert.True(report.ItemGap!.Value.P50 >= 12, $"p50 of the gap is {report.ItemGap!.Value.P50} ms");
        Assert.True(report.FirstByte!.Value.P50 < report.ServiceTime.P50);
    }

    [Theory]
    [MemberData(nameof(Loads.Engines), MemberType = typeof(Loads))]
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

        // What is left is not read on: the next request does not wait for it.
        Assert.True(report.ServiceTime.Max < 1_500, $"the longest service time is {report.ServiceTime.Max} ms");
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

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Forged\r\nContent-Length: 2\r\n\r\nno")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n")]
    [InlineData("HTTP/1.1 204 No Content\r\n\r\nok")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5abc\r\n\r\nhello")]
    [InlineData("HTTP/1.1 2xx OK\r\nContent-Length: 2\r\n\r\nok")]
    [InlineData("HTTP/1.1 101 Switching Protocols\r\n\r\n")]
    public async Task Bytes_that_belong_to_no_response_are_an_error_and_not_the_next_answer(string response)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The reader of the other engine is .NET's.");
        await using var server = ScriptedServer.Answering(response);
        var report = await RunAsync(isRaw: true, new LoadOptions { Address = server.Address, Connections = 2, Requests = 10, Timeout = TimeSpan.FromSeconds(10) });
        Assert.Equal((10, 10), (report.Requests, report.ErrorsByKind["invalid response"]));
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\nContent-Length: 2\r\n\r\nok")]
    [InlineData("HTTP/1.1 200 OK\r\nConnection:\tclose\r\nContent-Length: 2\r\n\r\nok")]
    public async Task A_connection_that_is_closed_is_not_used_again(string response)
    {
        foreach (var isRaw in Loads.Engines.Select(static row => row.Data))
        {
            await using var server = new ScriptedServer(async (_, connection) =>
            {
                await ScriptedServer.SendAsync(connection, response);
                connection.Shutdown(System.Net.Sockets.SocketShutdown.Both);
            });
            var report = await RunAsync(isRaw, new LoadOptions { Address = server.Address, Connections = 2, Requests = 20 });
            Assert.Equal((20, 0), (report.Requests, report.Errors));
        }
    }

    [Theory]
    [InlineData(2, 1.0, null, 2)]
    [InlineData(10, 0.5, null, 10)]
    [InlineData(4, null, 2, 4)]
    [InlineData(20, null, 1, 20)]
    public async Task The_rate_of_a_report_is_the_one_that_was_sent(double rate, double? seconds, int? requests, double expected)
    {
        foreach (var isRaw in Loads.Engines.Select(static row => row.Data))
        {
            await using var server = ScriptedServer.Answering(ScriptedServer.Ok);
            var report = await RunAsync(isRaw, new LoadOptions
            {
                Address = server.Address,
                Connections = 2,
                Rate = rate,
                Duration = seconds is { } time ? TimeSpan.FromSeconds(time) : null,
                Requests = requests,
            });
            Assert.Equal(0, report.Errors);

            // On a machine without free processors the last answer may come after that.
            Assert.InRange(report.Rate, expected / 3, expected + 0.001);
        }
    }
}
