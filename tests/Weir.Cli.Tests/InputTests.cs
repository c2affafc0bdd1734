namespace Weir.Cli.Tests;

/// <summary>Every wrong input is a line that begins with <c>weir:</c>, exit code 2, and nothing else: no stack trace, nothing on standard output.</summary>
public sealed class InputTests : IDisposable
{
    private const string Url = "http://127.0.0.1:1/";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("", "Required command")]
    [InlineData("unknown", "unknown")]
    [InlineData("fetch", "--input FILE")]
    [InlineData("fetch example.com", "'example.com' is no URL that begins with http:// or https://")]
    [InlineData("fetch ftp://example.com/", "'ftp://example.com/' is no URL")]
    [InlineData("fetch http://", "'http://' is no URL")]
    [InlineData("fetch http://user:secret@127.0.0.1:1/", "user name, which is not sent")]
    [InlineData("fetch --unknown http://127.0.0.1:1/", "there is no option '--unknown'")]
    [InlineData("fetch --max 0 http://127.0.0.1:1/", "--max is '0'; choose a whole number from 1 to 100000")]
    [InlineData("fetch --max many http://127.0.0.1:1/", "--max is 'many'")]
    [InlineData("fetch --max", "--max")]
    [InlineData("fetch --per-host -1 http://127.0.0.1:1/", "--per-host")]
    [InlineData("fetch --timeout 5 http://127.0.0.1:1/", "--timeout is '5'; choose a time such as 500ms, 10s or 2m")]
    [InlineData("fetch --input absent.txt", "--input 'absent.txt' cannot be read")]
    [InlineData("fetch --input .", "--input '.' cannot be read")]
    [InlineData("fetch --input long.txt", "line 2 of 'long.txt' is longer than 65536 bytes")]
    [InlineData("fetch --output long.txt http://127.0.0.1:1/", "--output 'long.txt' is no folder that can be written to")]
    [InlineData("fetch --output /proc/weir http://127.0.0.1:1/", "--output '/proc/weir' is no folder that can be written to")]
    [InlineData("fetch --resume other.txt http://127.0.0.1:1/", "--resume 'other.txt' is no journal of weir fetch")]
    [InlineData("fetch --resume damaged.journal http://127.0.0.1:1/", "--resume 'damaged.journal' is damaged in line 3")]
    [InlineData("fetch --resume contradicting.journal http://127.0.0.1:1/", "--resume 'contradicting.journal' is damaged in line 3")]
    [InlineData("fetch --resume . http://127.0.0.1:1/", "--resume '.' cannot be used: it is a folder")]
    [InlineData("fetch --resume long.journal http://127.0.0.1:1/", "--resume 'long.journal' is damaged in line 2")]
    [InlineData("fetch --resume tail.journal http://127.0.0.1:1/", "--resume 'tail.journal' is damaged: what follows its last complete line")]
    [InlineData("call user@host Svc/A", "'user@host' is no URL")]
    [InlineData("call http://user:secret@127.0.0.1:1/ Svc/A", "user name, which is not sent")]
    [InlineData("call http://127.0.0.1:1/ Svc/A", "http://127.0.0.1:1/$catalog cannot be read")]
    [InlineData("call http://127.0.0.1:1/ Svc/A --max-bytes 0", "--max-bytes is '0'")]
    [InlineData("client --from absent.dll", "'absent.dll' cannot be read")]
    [InlineData("client --from . --out a.ts", "'.' is a folder, and no .NET assembly")]
    [InlineData("client --from long.txt", "'long.txt' is no .NET assembly")]
    [InlineData("client --from long.txt --out a.js", "--out is 'a.js'; clients are written in TypeScript")]
    [InlineData("client --from long.txt --header a:1", "--header is given, and 'long.txt' is a file")]
    [InlineData("client --from long.txt --prefix /v1", "--prefix is given, and 'long.txt' is a file")]
    [InlineData("client --from http://127.0.0.1:1/ --header a", "--header is 'a'; write 'Name: value'")]
    [InlineData("client --from http://127.0.0.1:1/ --out folder.ts", "--out is 'folder.ts', which is a folder")]
    [InlineData("contract accept --assembly long.txt", "'long.txt' is no .NET assembly")]
    [InlineData("contract accept --project absent", "--project 'absent' does not exist")]
    [InlineData("contract accept", "has no .csproj; give --project or --assembly")]
    [InlineData("fetch --resume absent/j http://127.0.0.1:1/", "--resume 'absent/j' cannot be used")]
    [InlineData("load", "Required argument 'URL' missing")]
    [InlineData("load example.com", "'example.com' is no URL")]
    [InlineData("load http://127.0.0.1:1/ http://127.0.0.1:1/", "Unrecognized command or argument")]
    [InlineData("load http://user@127.0.0.1:1/", "--header 'Authorization: …'")]
    [InlineData("load http://127.0.0.1:1/ --rate fast", "--rate is 'fast'; choose 0.001 to 10000000")]
    [InlineData("load http://127.0.0.1:1/ --rate 0", "--rate is '0'")]
    [InlineData("load http://127.0.0.1:1/ --rate -5", "--rate")]
    [InlineData("load http://127.0.0.1:1/ --rate NaN", "--rate is 'NaN'")]
    [InlineData("load http://127.0.0.1:1/ --poisson", "--poisson is given without --rate")]
    [InlineData("load http://127.0.0.1:1/ -n 5 -d 1s", "-n and -d are both given")]
    [InlineData("load http://127.0.0.1:1/ -n 5 --warm-up 200ms", "-n and --warm-up are both given")]
    [InlineData("load http://127.0.0.1:1/ --insecure", "--insecure is given, and the URL begins with http://")]
    [InlineData("load http://127.0.0.1:1/ --stream -X HEAD", "--stream is given, and --method is HEAD")]
    [InlineData("load http://127.0.0.1:1/ --body .", "--body '.' cannot be read")]
    [InlineData("load http://127.0.0.1:1/ --header X:é", "no printable ASCII")]
    [InlineData("load http://127.0.0.1:1/ -n 0", "-n is '0'")]
    [InlineData("load http://127.0.0.1:1/ -d 10", "-d is '10'")]
    [InlineData("load http://127.0.0.1:1/ -c 0", "-c is '0'")]
    [InlineData("load http://127.0.0.1:1/ --header nonsense", "--header is 'nonsense'; write 'Name: value'")]
    [InlineData("load http://127.0.0.1:1/ --header a(b:1", "--header is 'a(b:1'; a name consists of")]
    [InlineData("load http://127.0.0.1:1/ --header Content-Length:5", "'Content-Length' is set by weir itself")]
    [InlineData("load http://127.0.0.1:1/ --body absent.json", "--body 'absent.json' cannot be read")]
    [InlineData("load http://127.0.0.1:1/ --method a(b", "--method is 'a(b'")]
    [InlineData("load http://127.0.0.1:1/ --method connect", "--method is 'connect', which opens a tunnel")]
    [InlineData("load http://127.0.0.1:1/ --http 3", "--http is '3'; choose 1.1 or 2")]
    [InlineData("load http://127.0.0.1:1/ --abort-after 3", "--abort-after is given without --stream")]
    [InlineData("load http://127.0.0.1:1/ --assert p99<fast", "--assert is 'p99<fast'; give a time with its unit")]
    [InlineData("load http://127.0.0.1:1/ --assert p98<5ms", "--assert is 'p98<5ms'; write one of p50, p90")]
    [InlineData("load http://127.0.0.1:1/ --timeout 2h", "--timeout is '2h'; choose a time such as 500ms, 10s or 2m, at most 1h")]
    [InlineData("doctor now", "Unrecognized command or argument 'now'")]
    public async Task A_wrong_input_is_one_line_that_says_what_to_do(string command, string message)
    {
        _folder.Write("long.txt", $"{Url}\n{new string('x', 70_000)}");
        _folder.Write("other.txt", "something else");
        _folder.Write("damaged.journal", $"weir-journal 1\n0 {1:x16}\nnonsense\n2 {1:x16}\n");
        _folder.Write("contradicting.journal", $"weir-journal 1\n5 {1:x16}\n5 {2:x16}\n");
        _folder.Write("long.journal", $"weir-journal 1\n{new string('x', 100_000)}\n");
        _folder.Write("tail.journal", $"weir-journal 1\n0 {1:x16}\n{new string('x', 100)}");
        Directory.CreateDirectory(_folder.Of("folder.ts"));
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal(2, await cli.RunAsync(command.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        Assert.Contains(message, cli.Error, StringComparison.Ordinal);
        Assert.All(cli.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries), static line => Assert.StartsWith("weir: ", line, StringComparison.Ordinal));
        Assert.DoesNotContain("   at ", cli.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://name.invalid/")]
    [InlineData("http://127.0.0.1:1/")]
    public async Task A_fetch_that_reaches_no_server_fails_with_a_line_that_says_which(string url)
    {
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal(1, await cli.RunAsync("fetch", url));
        Assert.StartsWith($"weir: 1 of 1 failed, the first: {url}: ", cli.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_and_version_are_on_standard_output()
    {
        foreach (var command in new[] { "--help", "fetch --help", "load --help", "doctor --help", "--version" })
        {
            var cli = new CliProcess();
            Assert.Equal(0, await cli.RunAsync(command.Split(' ')));
            Assert.Equal("", cli.Error);
            Assert.NotEqual("", cli.Output);
        }
    }
}
