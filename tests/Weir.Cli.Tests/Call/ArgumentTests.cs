using System.Text;

namespace Weir.Cli.Tests.Call;

/// <summary>Arguments of <c>weir call</c>: checked before the call is sent, and read by one rule in every place.</summary>
public sealed class ArgumentTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("File", "name=..", "name is '..', and is a part of the path /files/{name}")]
    [InlineData("File", "name=.", "name is '.'")]
    [InlineData("File", "name=", "name is ''")]
    [InlineData("File", "name=a/b", "name is 'a/b'")]
    [InlineData("File", "name=a\\b", "name is 'a\\b'")]
    [InlineData("File", "name=@dots.txt", "name is '..'")]
    [InlineData("Rest", "name=a/../b", "name is 'a/../b', and is a part of the path /rest/{*name}: no part between slashes may")]
    [InlineData("Rest", "name=a//b", "name is 'a//b'")]
    [InlineData("Rest", "name=/a", "name is '/a'")]
    [InlineData("Header", "a=x\ny: z", "a is sent as the header 'X-A', and its value has a line break")]
    [InlineData("Header", "a=x\ry", "has a line break")]
    [InlineData("Header", "a=x\0y", "has a line break or a zero byte")]
    [InlineData("Header", "a=é", "no printable ASCII")]
    [InlineData("Header", "a= x", "begins or ends with a blank")]
    [InlineData("Header", "a=@lines.txt", "has a line break")]
    [InlineData("Header", "list=a,b list=c", "has a comma")]
    [InlineData("Value", "x=1 x=2", "x is given 2 times, and is one string")]
    [InlineData("File", "name=a name=b", "name is given 2 times")]
    [InlineData("Raw", "body=a body=b", "body is given 2 times")]
    [InlineData("Sum", "numbers=1 numbers=@lines.txt", "numbers is given 2 times, one of them as a file")]
    [InlineData("Value", "x=@", "x is '@' without the name of a file")]
    [InlineData("Value", "x=@absent", "x is '@absent', and 'absent' cannot be read")]
    [InlineData("Value", "x=@absent", "Write x=@@absent for a text")]
    [InlineData("Value", "x=@.", "x is '@.'")]
    [InlineData("Value", "x=@latin1.txt", "x is '@latin1.txt', which is not UTF-8")]
    [InlineData("Value", "x=@bad\0name", "is no name of a file")]
    [InlineData("Form", "x=@absent", "x is '@absent'")]
    [InlineData("Upload", "x=@- file=@-", "x and file are both '@-', and standard input can be read once")]
    [InlineData("Value", "--header a\tb:1", "--header is")]
    [InlineData("Value", "--header X:a\nb", "its value has a line break")]
    [InlineData("Value", "--header X:é", "no printable ASCII")]
    [InlineData("Value", "--header a(b:1", "a name consists of")]
    [InlineData("Value", "--header :1", "write 'Name: value'")]
    [InlineData("Value", "--header Content-Length:1", "'Content-Length' is set by weir itself")]
    [InlineData("Value", "--header Transfer-Encoding:chunked", "'Transfer-Encoding' is set by weir itself")]
    [InlineData("Value", "--header Content-Type:text/plain", "describes a body")]
    [InlineData("Value", "--prefix a{b", "--prefix is 'a{b'")]
    [InlineData("Value", "--prefix /v3", "--prefix is '/v3', and no service of")]
    [InlineData("Value", "--stream", "--stream is given, and Svc/Value returns one result")]
    public async Task What_cannot_be_sent_is_named_and_nothing_is_sent(string operation, string typed, string message)
    {
        _folder.Write("dots.txt", "..\n");
        _folder.Write("lines.txt", "1\n2\n");
        await File.WriteAllBytesAsync(_folder.Of("latin1.txt"), [0xe9, 0x20], TestContext.Current.CancellationToken);
        await using var server = HostileServer.Answering(HostileServer.Json("\"sent\""));
        var cli = new CliProcess { Folder = _folder.Path };
        var words = typed.StartsWith("--header", StringComparison.Ordinal) ? typed.Split(' ', 2) : operation == "Header" && typed.StartsWith("a=", StringComparison.Ordinal) ? [typed] : typed.Split(' ');
        Assert.Equal(2, await cli.RunAsync(["call", server.Address, "Svc/" + operation, .. words]));
        Assert.Contains(message, cli.Error, StringComparison.Ordinal);
        Assert.StartsWith("weir: ", Assert.Single(cli.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries)), StringComparison.Ordinal);
        Assert.DoesNotContain(server.Requests, static request => !request.Contains(" /$catalog ", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Value", "/Svc/Value?x=", "")]
    [InlineData("File", "/files/", "")]
    [InlineData("Header", "X-A: ", "")]
    [InlineData("Member", "", "{\"x\":\"#\"}")]
    [InlineData("Form", "", "x=#")]
    [InlineData("Upload", "", "name=x\r\n\r\n#")]
    [InlineData("Raw", "", "#")]
    public async Task A_text_a_file_and_standard_input_are_given_alike_in_every_place(string operation, string head, string body)
    {
        // What is typed, and what arrives.
        _folder.Write("ada.txt", "Ada\n");
        foreach (var (typed, text) in new[] { ("Ada", "Ada"), ("@ada.txt", "Ada"), ("@-", "Eve"), ("@@ada", "@ada"), ("@@", "@"), ("@@@x", "@@x"), ("@@-", "@-"), ("a@b", "a@b") })
        {
            if (operation == "Raw" && typed == "@ada.txt")
            {
                // Bytes are sent with the end of their line.
                continue;
            }

            await using var server = HostileServer.Answering(HostileServer.Json("\"sent\""));
            var name = operation switch { "File" => "name", "Header" => "a", "Raw" => "body", _ => "x" };
            var cli = new CliProcess { Folder = _folder.Path, Input = new MemoryStream(Encoding.UTF8.GetBytes("Eve")) };
            Assert.Equal((0, "sent\n", ""), (await cli.RunAsync(["call", server.Address, "Svc/" + operation, $"{name}={typed}", .. operation == "Upload" ? (string[])["file=content"] : []]), cli.Output, cli.Error));
            var request = server.Requests.Last();
            var encoded = operation is "Value" or "File" or "Form" ? Uri.EscapeDataString(text) : text;
            Assert.Contains(head.Length > 0 ? head + encoded : body.Replace("#", encoded, StringComparison.Ordinal), request, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_list_takes_values_JSON_and_files_and_a_text_with_an_at_sign_is_one_value()
    {
        _folder.Write("list.json", "[\"a\",\"b\"]");
        foreach (var (typed, expected) in new[]
        {
            ("xs=a xs=@@b", "\"xs\":[\"a\",\"@b\"]"), ("xs=@@scope", "\"xs\":[\"@scope\"]"), ("xs=@list.json", "\"xs\":[\"a\",\"b\"]"), ("xs=[\"c\"]", "\"xs\":[\"c\"]"),
        })
        {
            await using var server = HostileServer.Answering(HostileServer.Json("\"sent\""));
            var cli = new CliProcess { Folder = _folder.Path };
            Assert.Equal(0, await cli.RunAsync(["call", server.Address, "Svc/Member", "x=y", .. typed.Split(' ')]));
            Assert.Contains(expected, server.Requests.Last(), StringComparison.Ordinal);
        }

        await using var summing = HostileServer.Answering(HostileServer.Json("\"sent\""));
        Assert.Equal(0, await new CliProcess().RunAsync("call", summing.Address, "Svc/Sum", "numbers=1", "numbers=2"));
        Assert.Contains("1\n2", summing.Requests.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_of_a_file_cannot_break_out_of_its_header()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no such names.");
        _folder.Write("a\"\r\nb.txt", "content");
        await using var server = HostileServer.Answering(HostileServer.Json("\"sent\""));
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal(0, await cli.RunAsync("call", server.Address, "Svc/Upload", "file=@a\"\r\nb.txt"));
        Assert.Contains("filename=a___b.txt", server.Requests.Last(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "/Svc/Value", "")]
    [InlineData("/shop", "/shop/Svc/Value", "/shop/$catalog")]
    [InlineData("/shop/", "/shop/Svc/Value", "/shop/$catalog")]
    [InlineData("/$catalog", "/Svc/Value", "/$catalog")]
    [InlineData("/own/catalog", "/Svc/Value", "/own/catalog")]
    public async Task A_server_behind_a_prefix_is_called_there(string typed, string expected, string catalog)
    {
        await using var server = new HostileServer(target =>
            target == (catalog.Length > 0 ? catalog : "/$catalog") ? HostileServer.Json(CallCatalog.Text())
            : target == expected ? HostileServer.Json("\"found\"")
            : HostileServer.Response("404 Not Found\r\nContent-Length: 0", ""));
        var cli = new CliProcess();
        Assert.Equal((0, "found\n", ""), (await cli.RunAsync("call", server.Address + typed, "Svc/Value"), cli.Output, cli.Error));
    }

    [Fact]
    public async Task A_service_below_two_prefixes_is_called_below_the_one_that_is_chosen()
    {
        await using var server = new HostileServer(static target =>
            target == "/$catalog" ? HostileServer.Json(CallCatalog.Text("/v1", "/v2")) : target == "/v2/Svc/Value" ? HostileServer.Json("\"second\"") : HostileServer.Response("404 Not Found\r\nContent-Length: 0", ""));
        foreach (var words in new[] { new[] { server.Address, "Svc/Value", "--prefix", "/v2" }, [server.Address, "Svc/Value", "--prefix", "v2/"], [server.Address + "/v2", "Svc/Value"] })
        {
            var cli = new CliProcess();
            Assert.Equal((0, "second\n", ""), (await cli.RunAsync(["call", .. words]), cli.Output, cli.Error));
        }

        foreach (var words in new[] { new[] { "call", server.Address, "Svc/Value" }, ["client", "--from", server.Address] })
        {
            var cli = new CliProcess();
            Assert.Equal((2, "weir: Svc is served below /v1 and /v2; choose one with --prefix, such as --prefix /v2.\n"), (await cli.RunAsync(words), cli.Error));
        }

        var client = new CliProcess();
        Assert.Equal((0, ""), (await client.RunAsync("client", "--from", server.Address, "--prefix", "/v2"), client.Error));
        Assert.Contains("v2/Svc/Value", client.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("v1/Svc/Value", client.Output, StringComparison.Ordinal);
        client = new CliProcess();
        Assert.Equal(2, await client.RunAsync("call", server.Address + "/v3", "Svc/Value"));
        Assert.Contains("none of its services is served below /v3", client.Error, StringComparison.Ordinal);
        Assert.Contains("there is /v1, /v2", client.Error, StringComparison.Ordinal);
    }
}
