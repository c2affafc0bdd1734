using System.Text;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Whatever a server sends, the caller gets a documented exception, soon and in bounded memory; a stream is never taken for complete without its proof.</summary>
public sealed class HostileServerTests
{
    private const string Ndjson = "application/x-ndjson; weir=1";
    private const string Json = "application/json";

    private static readonly Part Sent = new("n", 1);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("null")]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("1")]
    [InlineData("\"x\"")]
    [InlineData("true")]
    [InlineData("{}x")]
    [InlineData("{\"name\":\"a\",\"count\":1} 2")]
    [InlineData("{\"name\":\"\\ud800\",\"count\":1}")]
    [InlineData("{\"name\":1,\"count\":1}")]
    [InlineData("{\"name\":\"a\",\"count\":1e999}")]
    [InlineData("{\"name\":\"a\",\"count\":1.5}")]
    [InlineData("{\"name\":\"a\",\"count\":99999999999}")]
    [InlineData("{\"name\":\"a\",\"count\":null}")]
    [InlineData("{\"name\":\"a\",\"count\":1,\"parts\":{}}")]
    [InlineData("{\"name\":\"a\",\"count\":1,\"shade\":[]}")]
    [InlineData("{\"name\":\"a\",\"count\":1,\"shade\":\"\\ud800\"}")]
    [InlineData("<html>")]
    public async Task A_result_that_is_not_what_the_contract_says_is_an_unexpected_response(string body)
    {
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Json, body) };
        var error = await Assert.ThrowsAnyAsync<WeirException>(async () => await Values(server).Body(Sent, ct: Cancel));
        Assert.True(error is UnexpectedResponseException or UnknownEnumValueException, error.ToString());
    }

    [Fact]
    public async Task A_result_may_not_be_deeper_than_JSON_is_read()
    {
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Json, new StringBuilder().Insert(0, "{\"parts\":[", 10_000).ToString()) };
        await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Values(server).Body(Sent, ct: Cancel));
    }

    [Fact]
    public async Task No_content_is_no_result_unless_null_is_one()
    {
        await using var server = new HostileServer { Answer = HostileServer.Response("204 No Content", Json, "") };
        var error = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Values(server).Body(Sent, ct: Cancel));
        Assert.Contains("status 204", error.Message, StringComparison.Ordinal);
        Assert.Null(await Values(server).MaybeBody(null, Cancel));
        server.Answer = HostileServer.Response("200 OK", Json, "null");
        Assert.Null(await Values(server).MaybeBody(null, Cancel));
        Assert.Null(await Values(server).MaybeText("", Cancel));
        error = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await Values(server).Page(1, Cancel));
        Assert.Contains("null", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"$weir\":{\"ok\":false,\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":1,\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":\"true\",\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":null,\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":[true],\"count\":1}}")]
    [InlineData("{\"$weir\":{\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":true}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1e999}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1.5}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":-1}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":\"1\"}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":null}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":99999999999999999999}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":2}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":0}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1,\"count\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1,\"retry\":1}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1,\"problem\":{\"status\":500}}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1}}}")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1}} 1")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1},\"more\":1}")]
    [InlineData("{\"$weir\":{\"\\ud800\":1,\"ok\":true,\"count\":1}}")]
    [InlineData("{\"$weir\":{}}")]
    [InlineData("{\"$weir\":null}")]
    [InlineData("{\"$weir\":[]}")]
    [InlineData("{\"$weir\":")]
    [InlineData("{\"$weir\":{\"item\":")]
    [InlineData("{\"$weir\":{\"item\":\"x\"}}")]
    [InlineData("{\"$weir\":{\"item\":1")]
    [InlineData("{\"$weir\":{\"problem\":null}}")]
    [InlineData("{\"$weir\":{\"problem\":5}}")]
    [InlineData("{\"$weir\":{\"problem\":{\"code\":\"\\ud800\",\"status\":500}}}")]
    [InlineData("{\"$weir\":{\"problem\":{\"\\ud800\":1}}}")]
    [InlineData("{\"$weir\":{\"problem\":{\"status\":1e999,\"bindingErrors\":[1,null,{}]}}}")]
    [InlineData("{\"$weir\":{\"retry\":-5}}")]
    [InlineData("{\"$weir\":{\"retry\":1e999}}")]
    [InlineData("{\"$weir\":{\"retry\":\"1\"}}")]
    [InlineData("{\"$weir\":{\"retry\":5}}")]
    [InlineData("null")]
    [InlineData("\"x\"")]
    [InlineData("x")]
    [InlineData("1e999")]
    [InlineData("")]
    public async Task A_last_line_that_proves_nothing_ends_in_a_WeirException(string last)
    {
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Ndjson, $"0\n{last}\n") };
        var items = new List<int>();
        await Assert.ThrowsAnyAsync<WeirException>(async () =>
        {
            await foreach (var item in Streams(server).Count(1, ct: Cancel))
            {
                items.Add(item);
            }
        });
        Assert.Equal([0], items);
    }

    [Theory]
    [InlineData("{\"code\":\"\\ud800\"}")]
    [InlineData("{\"\\ud800\":1}")]
    [InlineData("{\"status\":200,\"code\":5,\"title\":null,\"detail\":[]}")]
    [InlineData("{\"bindingErrors\":[null,1,{\"name\":\"\\udfff\"}],\"code\":\"WEIR2001\"}")]
    [InlineData("{\"code\":\"WEIR2011\",\"report\":1}")]
    [InlineData("{\"code\":\"WEIR2023\"}")]
    [InlineData("{\"code\":\"WEIR2023\",\"contract\":5}")]
    [InlineData("{\"code\":\"WEIR2023\",\"contract\":{\"operations\":[null,{\"name\":\"\\ud800\"}]}}")]
    [InlineData("{\"code\":\"WEIR2023\",\"contract\":{\"operations\":[{\"name\":\"Count\",\"routes\":5,\"parameters\":null,\"result\":[]}],\"types\":7}}")]
    [InlineData("[]")]
    [InlineData("")]
    [InlineData("{")]
    public async Task A_malformed_problem_is_still_a_WeirException_with_the_status_of_HTTP(string body)
    {
        foreach (var status in (string[])["400 Bad Request", "412 Precondition Failed", "503 Service Unavailable", "599 x"])
        {
            await using var server = new HostileServer { Answer = HostileServer.Response(status, "application/problem+json", body, "Retry-After: 99999999999\r\n") };
            var error = await Assert.ThrowsAnyAsync<WeirException>(async () => await Values(server).Body(Sent, ct: Cancel));
            Assert.True(error is ContractChangedException || error.Problem!.Status == int.Parse(status[..3], System.Globalization.CultureInfo.InvariantCulture), error.ToString());
        }
    }

    [Fact]
    public async Task A_result_that_is_cut_at_any_byte_is_an_HttpRequestException()
    {
        var whole = HostileServer.Response("200 OK", Json, "{\"name\":\"abc\",\"count\":1}");
        await using var server = new HostileServer();
        for (var cut = 0; cut < whole.Length; cut++)
        {
            server.Answer = whole[..cut];
            var error = await Assert.ThrowsAsync<HttpRequestException>(async () => await Values(server).Body(Sent, ct: Cancel));
            Assert.True(cut <= whole.AsSpan().IndexOf("\r\n\r\n"u8) + 4 || error.Message.Contains("IValues/Body", StringComparison.OrdinalIgnoreCase) || error.Message.Contains("cut", StringComparison.Ordinal), error.Message);
        }

        server.Answer = whole;
        Assert.Equal("abc", (await Values(server).Body(Sent, ct: Cancel)).Name);
    }

    [Fact]
    public async Task A_stream_that_is_cut_at_any_byte_is_never_complete()
    {
        var whole = HostileServer.Response("200 OK", Ndjson, "0\n1\n{\"$weir\":{\"ok\":true,\"count\":2}}\n");
        await using var server = new HostileServer();
        for (var cut = 0; cut < whole.Length; cut++)
        {
            server.Answer = whole[..cut];
            var error = await Assert.ThrowsAnyAsync<Exception>(async () => await Streams(server).Count(2, ct: Cancel).ToListAsync(Cancel));
            Assert.True(error is HttpRequestException or StreamInterruptedException, error.ToString());
        }
    }

    [Fact]
    public async Task Bytes_that_are_no_compression_are_an_HttpRequestException()
    {
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Json, "this is no gzip at all", "Content-Encoding: gzip\r\n") };
        using var http = new HttpClient(new HttpClientHandler { AutomaticDecompression = System.Net.DecompressionMethods.All }) { BaseAddress = server.Http.BaseAddress };
        await Assert.ThrowsAsync<HttpRequestException>(async () => await WeirClient.Create<IValues>(http).Body(Sent, ct: Cancel));
    }

    [Fact]
    public async Task Results_items_and_problems_without_an_end_are_given_up_at_their_limits()
    {
        var options = new WeirClientOptions { MaxResultBytes = 100_000, MaxItemBytes = 100_000 };
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Json, "\"", length: int.MaxValue), Flood = (Encoding.ASCII.GetBytes(new string('x', 64 * 1024)), 1000) };
        var result = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await WeirClient.Create<IValues>(server.Http, options).MaybeText("", Cancel));
        Assert.Contains("100000 bytes: raise WeirClientOptions.MaxResultBytes", result.Message, StringComparison.Ordinal);
        server.Answer = HostileServer.Response("200 OK", Ndjson, "\"", length: int.MaxValue);
        var item = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await WeirClient.Create<IStreams>(server.Http, options).Count(1, ct: Cancel).ToListAsync(Cancel));
        Assert.Contains("100000 bytes: raise WeirClientOptions.MaxItemBytes", item.Message, StringComparison.Ordinal);
        server.Answer = HostileServer.Response("500 x", "application/problem+json", "{\"detail\":\"", length: int.MaxValue);
        Assert.Equal(500, (await Assert.ThrowsAsync<ProblemException>(async () => await WeirClient.Create<IValues>(server.Http, options).MaybeText("", Cancel))).Problem!.Status);
    }

    [Fact]
    public void The_limits_have_defaults_and_null_is_none()
    {
        var options = new WeirClientOptions();
        Assert.Equal((256 * 1024 * 1024, 64 * 1024 * 1024), (options.MaxResultBytes, options.MaxItemBytes));
        using var http = new HttpClient { BaseAddress = new Uri("http://localhost") };
        _ = WeirClient.Create<IValues>(http, new WeirClientOptions { MaxResultBytes = null, MaxItemBytes = null });
        Assert.Contains("MaxResultBytes is 0", Assert.Throws<ArgumentException>(() => WeirClient.Create<IValues>(http, new WeirClientOptions { MaxResultBytes = 0 })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_asks_for_another_connection_at_once_is_not_called_in_a_loop()
    {
        // An item each time begins the attempts again, so that only the wait bounds them.
        await using var server = new HostileServer { Answer = HostileServer.Response("200 OK", Ndjson, "1\n{\"$weir\":{\"retry\":0,\"index\":1}}\n") };
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromSeconds(2));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await WeirClient.Create<IJournal>(server.Http).Lines(9, ct: stop.Token).ToListAsync(CancellationToken.None));
        Assert.InRange(server.Requests, 1, 25);
    }

    private static IValues Values(HostileServer server) => WeirClient.Create<IValues>(server.Http);

    private static IStreams Streams(HostileServer server) => WeirClient.Create<IStreams>(server.Http);
}
