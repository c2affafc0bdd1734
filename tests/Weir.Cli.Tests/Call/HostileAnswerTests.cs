using System.IO.Compression;
using System.Text;

namespace Weir.Cli.Tests.Call;

/// <summary>Whatever a server sends, <c>weir call</c> ends with a line and an exit code, and takes no stream for complete that is not.</summary>
public sealed class HostileAnswerTests
{
    private const string Lines = "200 OK\r\nContent-Type: application/x-ndjson; weir=1";
    private const string Json = "200 OK\r\nContent-Type: application/json";

    [Theory]
    [InlineData("")]
    [InlineData("{\"$weir\":{\"ok\":false,\"count\":1}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":999}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":0}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":-1}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1e999}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1.5}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":\"1\"}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":null}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":99999999999999999999}}\n")]
    [InlineData("{\"$weir\":{\"ok\":1,\"count\":1}}\n")]
    [InlineData("{\"$weir\":{\"ok\":\"true\",\"count\":1}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true}}\n")]
    [InlineData("{\"$weir\":{\"count\":1}}\n")]
    [InlineData("{\"$weir\":{}}\n")]
    [InlineData("{\"$weir\":1}\n")]
    [InlineData("{\"$weir\":null}\n")]
    [InlineData("{\"$weir\":[]}\n")]
    [InlineData("{\"$weir\":\n")]
    [InlineData("{\"$weir\":{\"item\":\n")]
    [InlineData("{\"$weir\":{\"item\":}}\n")]
    [InlineData("{\"$weir\":{\"item\":1}\n")]
    [InlineData("{\"$weir\":{\"\\ud800\":1}}\n")]
    [InlineData("{\"$weir\":{\"problem\":5}}\n")]
    [InlineData("{\"$weir\":{\"problem\":{\"status\":\"x\",\"code\":\"\\ud800\"}}}\n")]
    [InlineData("{\"$weir\":{\"problem\":{\"status\":1e999}}}\n")]
    [InlineData("{\"$weir\":{\"problem\":{\"status\":99999999999}}}\n")]
    [InlineData("{\"$weir\":{\"retry\":-5}}\n")]
    [InlineData("{\"$weir\":{\"retry\":\"soon\"}}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1}} {}\n")]
    [InlineData("{\"$weir\":{\"ok\":true,\"count\":1}}")]
    [InlineData("nonsense\n")]
    [InlineData("{\"half\":\n")]
    [InlineData("1 2\n")]
    public async Task A_stream_is_complete_only_if_its_last_line_says_so_with_the_count(string end)
    {
        var (code, output, error) = await CallAsync("Items", HostileServer.Response(Lines, "1\n" + end), "--stream");
        Assert.Equal((1, "1\n"), (code, output.Split("\n", 2)[0] + "\n"));
        AssertLines(error);
    }

    [Theory]
    [InlineData("1\n\n \t\r\n2\n{\"$weir\":{\"item\":{\"$weir\":1}}}\n{\"$weir\":{\"later\":[1],\"count\":3,\"ok\":true}}\n", "1\n2\n{\"$weir\":1}\n")]
    [InlineData("1\r\n{\"$weir\":{\"ok\":true,\"count\":1}}\nwhat follows the end", "1\n")]
    [InlineData("\"\\ud800\"\n{\"$weir\":{\"ok\":true,\"count\":1}}\n", "\"\\ud800\"\n")]
    public async Task A_stream_that_its_last_line_proves_succeeds(string body, string expected) =>
        Assert.Equal((0, expected, ""), await CallAsync("Items", HostileServer.Response(Lines, body), "--stream"));

    [Theory]
    [InlineData("200 OK\r\nContent-Type: application/x-ndjson", "1\n")]
    [InlineData("200 OK\r\nContent-Type: text/html", "<html>")]
    [InlineData("200 OK", "1\n")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", "1\n")]
    [InlineData("302 Found\r\nLocation: http://127.0.0.1:1/", "")]
    [InlineData("599 Own\r\nContent-Type: application/json; charset=nonsense", "{\"title\":")]
    public async Task Another_kind_of_answer_is_a_failure(string head, string body)
    {
        var (code, output, error) = await CallAsync("Items", HostileServer.Response(head, body), "--stream");
        Assert.Equal((1, ""), (code, output));
        AssertLines(error);
    }

    [Theory]
    [InlineData(Json, "")]
    [InlineData(Json, " ")]
    [InlineData(Json, "{\"half\":")]
    [InlineData(Json, "{} {}")]
    [InlineData(Json, "<html>")]
    [InlineData(Json, "{\"a\":1e}")]
    [InlineData(Json, "DEEP")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nContent-Length: 100", "{}")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 6", "{}")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked", "5\r\n{}")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked", "zz\r\n{}")]
    [InlineData("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", "{}")]
    [InlineData("200 OK\r\nContent-Type: text/html", "<html>")]
    [InlineData("200 OK\r\nContent-Type: ///", "{}")]
    [InlineData("2xx OK", "{}")]
    [InlineData("999999 OK", "{}")]
    [InlineData("500 E", "")]
    [InlineData("500 E\r\nContent-Type: application/problem+json", "{\"code\":\"\\ud800\",\"title\":5,\"bindingErrors\":[{\"name\":\"\\udc00\"},7,null]}")]
    [InlineData("500 E\r\nContent-Type: application/problem+json", "[1]")]
    [InlineData("400 E\r\nContent-Type: application/problem+json", "{\"bindingErrors\":{}}")]
    public async Task A_result_that_cannot_be_read_is_a_failure(string head, string body)
    {
        var (code, output, error) = await CallAsync("Value", HostileServer.Response(head, body == "DEEP" ? new string('[', 5_000) : body));
        Assert.Equal((1, ""), (code, output));
        AssertLines(error);
    }

    [Theory]
    [InlineData("\"\\ud800\"", "\"\\ud800\"\n")]
    [InlineData("{\"a\":\"\\udc00\"}", "{\"a\":\"\\udc00\"}\n")]
    [InlineData("\uFEFF\"text\"", "text\n")]
    [InlineData("null", "null\n")]
    public async Task A_result_that_is_JSON_is_printed(string body, string expected) => Assert.Equal((0, expected, ""), await CallAsync("Value", HostileServer.Response(Json, body)));

    [Fact]
    public async Task What_is_too_long_is_named_with_its_limit()
    {
        var text = new string('a', 5_000);
        var (code, output, error) = await CallAsync("Value", HostileServer.Response(Json, $"\"{text}\""), "--max-bytes", "1000");
        Assert.Equal((1, "", true), (code, output, error.Contains("1000 bytes, the limit of --max-bytes", StringComparison.Ordinal)));
        Assert.Equal((0, $"\"{text}\"", ""), await CallAsync("Value", HostileServer.Response(Json, $"\"{text}\""), "--max-bytes", "1000", "--json"));
        (code, output, error) = await CallAsync("Items", HostileServer.Response(Lines, $"1\n\"{text}"), "--stream", "--max-bytes", "1000");
        Assert.Equal((1, "1\n", true), (code, output, error.Contains("1000 bytes, the limit of --max-bytes", StringComparison.Ordinal)));
        (code, output, error) = await CallAsync("Value", HostileServer.Response("500 E", new string('p', 2_000_000)));
        Assert.Equal((1, "", true), (code, output, error.Contains("1048576 bytes, the limit of a problem", StringComparison.Ordinal)));
        (_, _, error) = await CallAsync("Value", HostileServer.Response("500 E", $"{{\"detail\":\"{new string('p', 500_000)}\",\"bindingErrors\":[{string.Join(',', Enumerable.Repeat("{\"name\":\"n\"}", 900))}]}}"));
        Assert.InRange(error.Length, 2_000, 10_000);
        Assert.Contains("and 850 more; --json prints them all", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_compressed_bomb_is_not_unpacked()
    {
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            await gzip.WriteAsync(new byte[10_000_000], TestContext.Current.CancellationToken);
        }

        byte[] answer = [.. Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"), .. packed.ToArray()];
        var (code, output, error) = await CallAsync("Value", answer);
        Assert.Equal((1, "", "weir: Svc/Value: the answer has the content coding 'gzip', which was not asked for.\n"), (code, output, error));
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("{\"services\":5}")]
    [InlineData("{\"services\":[]}")]
    [InlineData("{\"services\":[5]}")]
    [InlineData("{\"services\":[{\"name\":\"S\",\"operations\":[],\"contract\":{}}]}")]
    [InlineData("{\"services\":[{\"operations\":[],\"contract\":{\"service\":\"S\",\"types\":{},\"operations\":[{\"name\":\"A\",\"routes\":[]}]}}]}")]
    [InlineData("{\"services\":[{\"operations\":[],\"contract\":{\"service\":\"S\",\"types\":{},\"operations\":[{\"name\":\"A\",\"routes\":[{\"verbs\":[],\"path\":\"/\"}]}]}}]}")]
    [InlineData("{\"services\":[{\"operations\":[],\"contract\":{\"service\":\"S\",\"types\":{},\"operations\":[{\"name\":\"A\",\"routes\":[{\"verbs\":[\"GET\\r\\n\"],\"path\":\"/\"}],\"result\":{\"kind\":\"none\"}}]}}]}")]
    [InlineData("{\"services\":[{\"operations\":[],\"contract\":{\"service\":\"S\",\"types\":{},\"operations\":[{\"name\":\"A\",\"routes\":[{\"verbs\":[\"GET\"],\"path\":\"http://other/\"}],\"result\":{\"kind\":\"none\"}}]}}]}")]
    [InlineData("{\"services\":[{\"operations\":[],\"contract\":{\"service\":\"\\ud800\",\"types\":{},\"operations\":[]}}]}")]
    public async Task A_catalog_that_is_none_is_named(string catalog)
    {
        await using var server = new HostileServer(_ => HostileServer.Json(catalog));
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync("call", server.Address, "S/A"));
        AssertLines(cli.Error);
        Assert.Contains("/$catalog", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_of_the_catalog_leads_to_no_other_server()
    {
        const string Catalog = """{"services":[{"operations":[],"contract":{"service":"S","types":{},"operations":[{"name":"A","routes":[{"verbs":["GET"],"path":"//127.0.0.1:1/steal"}],"result":{"kind":"value","type":"int32"}}]}}]}""";
        await using var server = new HostileServer(target => HostileServer.Json(target == "/$catalog" ? Catalog : "1"));
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("call", server.Address, "S/A", "--header", "Authorization: secret"));
        Assert.StartsWith("GET //127.0.0.1:1/steal ", server.Requests.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_server_sends_cannot_command_a_terminal()
    {
        const string Bad = "\u001b[31m\u0007\u009b1m\u202e\u2066x\r\nweir: forged";
        var escaped = System.Text.Json.JsonSerializer.Serialize(Bad);
        var raw = $"\"\u202e\u009b{escaped[1..]}";
        foreach (var (operation, answer, isStream) in new[]
        {
            ("Value", HostileServer.Response("500 E", $"{{\"code\":{escaped},\"title\":{raw},\"detail\":{escaped},\"bindingErrors\":[{{\"name\":{escaped}}}]}}"), false),
            ("Value", HostileServer.Response("500 E", Bad), false),
            ("Value", HostileServer.Response(Json, raw), false),
            ("Value", HostileServer.Response(Json, $"{{\"a\":{raw}}}"), false),
            ("Bytes", HostileServer.Response("200 OK\r\nContent-Type: text/plain", Bad), false),
            ("Items", HostileServer.Response(Lines, $"{raw}\n\u001b[0m\n"), true),
        })
        {
            await using var server = HostileServer.Answering(answer);
            var cli = new CliProcess { IsOutputTerminal = true };
            await cli.RunAsync(["call", server.Address, "Svc/" + operation, .. isStream ? (string[])["--stream"] : []]);
            Assert.Contains("202e", cli.Output + cli.Error, StringComparison.Ordinal);
            Assert.DoesNotContain(cli.Output + cli.Error, static letter => letter is (char)27 or (char)7 or '\u009b' or '\u202e' or '\u2066');
            Assert.DoesNotContain("\nweir: forged", cli.Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task The_head_of_an_answer_and_a_line_of_a_list_cannot_command_a_terminal()
    {
        using var folder = new TemporaryFolder();
        folder.Write("j", "weir-journal 1\n\u001b[31m\u009b\n");
        await using var server = HostileServer.Answering(Encoding.Latin1.GetBytes("HTTP/1.1 \u001b[31m\u009b OK\r\n\r\n"));
        foreach (var words in new[]
        {
            new[] { "call", server.Address, "Svc/Value" }, ["fetch", server.Address + "/x"], ["fetch", server.Address + "/x", "--json"], ["fetch", "http://127.0.0.1:1/", "\u001b[31m\u202e"], ["fetch", server.Address + "/x", "--resume", "j"],
            ["call", server.Address + "/\u202e", "\u001b/A"], ["load", server.Address, "--method", "\u001b[31m"], ["load", server.Address, "--assert", "\u001b[31m"],
        })
        {
            var cli = new CliProcess { IsOutputTerminal = true, Folder = folder.Path };
            Assert.NotEqual(0, await cli.RunAsync(words));
            Assert.NotEqual("", cli.Error);
            Assert.DoesNotContain(cli.Output + cli.Error, static letter => letter is (char)27 or '\u009b' or '\u202e');
        }
    }

    private static void AssertLines(string error)
    {
        Assert.NotEqual("", error);
        Assert.All(error.Split('\n', StringSplitOptions.RemoveEmptyEntries), static line => Assert.StartsWith("weir: ", line, StringComparison.Ordinal));
        Assert.DoesNotContain("fault of weir", error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output, string Error)> CallAsync(string operation, byte[] answer, params string[] options)
    {
        await using var server = HostileServer.Answering(answer);
        var cli = new CliProcess();
        return (await cli.RunAsync(["call", server.Address, "Svc/" + operation, .. options]), cli.Output, cli.Error);
    }
}
