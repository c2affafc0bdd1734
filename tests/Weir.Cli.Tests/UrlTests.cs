namespace Weir.Cli.Tests;

/// <summary>URLs of every form in every command: a line, and never a fault of the tool.</summary>
public sealed class UrlTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    public static TheoryData<string> Urls() =>
    [
        "http://127.0.0.1:0/", "http://0.0.0.0:1/", "http://[::1]:1/", "http://[::]:1/", "http://[fe80::1%25lo]:1/", "http://127.1:1/", "http://127.0.0.1:65536/", "http://127.0.0.1:1/a?q=1#f", "HTTP://127.0.0.1:1",
        "http://127.0.0.1:1/\u202e\u001b[1m", "http://127.0.0.1:1/a\0b", "http://127.0.0.1:1/../..", "http:///x", "http:\\\\127.0.0.1:1\\", "http://a..invalid/", "http://.invalid/", "http://-/", "http://xn--/", "http://xn--a.invalid/",
        $"http://{new string('\u00fc', 70)}.invalid/", $"http://{new string('a', 70)}.invalid/", $"http://{string.Concat(Enumerable.Repeat("a.", 200))}invalid/", $"http://127.0.0.1:1/{new string('x', 70_000)}", "http://%00/", "http://a b/",
        "file:///etc/passwd", "ws://127.0.0.1:1/", "javascript:1", "//127.0.0.1:1/", "/", "\u202e", "http://user@127.0.0.1:1/",
    ];

    [Theory]
    [MemberData(nameof(Urls))]
    public async Task A_URL_of_any_form_ends_in_a_line(string url)
    {
        foreach (var words in new[]
        {
            new[] { "fetch", url, "--output", "bodies", "--timeout", "5s" }, ["load", url, "-n", "1", "--timeout", "1s"], ["load", url, "-n", "1", "--timeout", "1s", "--http", "2"], ["call", url, "Svc/A"], ["client", "--from", url], ["jobs", "list", url],
        })
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
            limit.CancelAfter(TimeSpan.FromSeconds(30));
            var cli = new CliProcess { Folder = _folder.Path };
            var code = await cli.RunAsync(words, limit.Token);
            var shown = $"{string.Join(' ', words.Select(static word => word.Length > 200 ? word[..200] : word))}: {code} {(cli.Error.Length > 1000 ? cli.Error[..1000] : cli.Error)}";
            Assert.True(code is 1 or 2, shown);
            Assert.True(cli.Error.Length > 0 && cli.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries).All(static line => line.StartsWith("weir: ", StringComparison.Ordinal)), shown);
            Assert.False(cli.Error.Contains("fault of weir", StringComparison.Ordinal) || cli.Error.Contains("   at ", StringComparison.Ordinal), shown);
            Assert.DoesNotContain(cli.Error, static letter => letter is (char)27 or '\0' or '\u202e');
        }
    }

    [Fact]
    public async Task A_list_may_have_a_mark_at_its_beginning_and_any_ends_of_lines_and_what_is_not_UTF8_fails_alone()
    {
        byte[] list = [0xef, 0xbb, 0xbf, .. "http://127.0.0.1:1/a\r\n"u8, .. "http://127.0.0.1:1/"u8, 0xe9, .. "\n\r\nhttp://127.0.0.1:1/b"u8];
        await File.WriteAllBytesAsync(_folder.Of("list.txt"), list, TestContext.Current.CancellationToken);
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal(1, await cli.RunAsync("fetch", "--input", "list.txt"));
        var lines = cli.Lines.OrderBy(static line => line.GetProperty("index").GetInt32()).ToList();
        Assert.Equal(["http://127.0.0.1:1/a", "http://127.0.0.1:1/\uFFFD", "http://127.0.0.1:1/b"], lines.Select(static line => line.GetProperty("url").GetString()));
        Assert.Contains("not UTF-8", lines[1].GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.DoesNotContain("UTF-8", lines[2].GetProperty("error").GetString(), StringComparison.Ordinal);
    }
}
