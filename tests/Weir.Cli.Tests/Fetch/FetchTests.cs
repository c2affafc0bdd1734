using System.Text;
using System.Text.Json;

namespace Weir.Cli.Tests.Fetch;

/// <summary><c>weir fetch</c> against a real server.</summary>
public sealed class FetchTests(CountingServer server) : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Each_url_becomes_one_json_line_with_its_times()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("fetch", $"{server.Address}/json/a", $"{server.Address}/json/b"));
        Assert.Equal([0L, 1], cli.Lines.Select(static line => line.GetProperty("index").GetInt64()).Order());
        foreach (var line in cli.Lines)
        {
            Assert.StartsWith($"{server.Address}/json/", line.GetProperty("url").GetString(), StringComparison.Ordinal);
            Assert.Equal(200, line.GetProperty("status").GetInt32());
            Assert.Equal("body of /json/a".Length, line.GetProperty("bytes").GetInt64());
            Assert.Equal(JsonValueKind.Null, line.GetProperty("error").ValueKind);
            var times = line.GetProperty("times");
            Assert.InRange(times.GetProperty("firstByte").GetDouble(), 0.001, times.GetProperty("total").GetDouble());
            Assert.True(times.GetProperty("queued").GetDouble() >= 0);
        }

        Assert.Equal("", cli.Error);
    }

    [Fact]
    public async Task A_status_that_is_no_success_and_a_body_that_is_cut_and_a_line_that_is_no_url_fail_and_the_rest_does_not()
    {
        var list = _folder.Write("list.txt", $"# a comment\n{server.Address}/fail/missing\r\n\n{server.Address}/fail/cut\nnonsense\n{server.Address}/fail/fine");
        var cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("fetch", "--input", list));
        var lines = cli.Lines.OrderBy(static line => line.GetProperty("index").GetInt64()).ToArray();
        Assert.Equal(("404", "", "200"), (Status(0), Status(2), Status(3)));
        Assert.Equal(["", "cut", "nonsense", ""], [Error(0), Error(1).Length > 0 ? "cut" : "", Error(2).Contains("'nonsense' is no URL", StringComparison.Ordinal) ? "nonsense" : Error(2), Error(3)]);
        Assert.Contains("weir: 3 of 4 failed, the first: ", cli.Error, StringComparison.Ordinal);

        string Status(int index) => lines[index].GetProperty("status").ToString();
        string Error(int index) => lines[index].GetProperty("error").ToString();
    }

    [Fact]
    public async Task The_first_line_of_an_endless_input_is_printed_before_more_than_the_bound_is_read()
    {
        const int Max = 4;
        using var interrupted = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var input = new LineByLine(i => i == 0 ? $"{server.Address}/endless/first" : $"{server.Address}/endless/wait/{i}");
        var read = 0;
        using var output = new WatchedOutput(_ =>
        {
            read = input.Lines;
            interrupted.Cancel();
        });
        var cli = new CliProcess { Input = input, OutputStream = output, Folder = _folder.Path };
        Assert.Equal(130, await cli.RunAsync(["fetch", "--input", "-", "--max", $"{Max}"], interrupted.Token).WaitAsync(TimeSpan.FromSeconds(30), Cancel));
        Assert.InRange(read, 1, Max);
        Assert.Contains("/endless/first", Encoding.UTF8.GetString(output.ToArray()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interruption_leaves_a_journal_that_continues_with_nothing_fetched_twice_and_nothing_missed()
    {
        const int Count = 400;
        var list = _folder.Write("list.txt", string.Join('\n', Enumerable.Range(0, Count).Select(i => $"{server.Address}/continue/{i}")));
        using var interrupted = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        using var output = new WatchedOutput(text =>
        {
            if (text.Count(static one => one == '\n') > 50)
            {
                interrupted.Cancel();
            }
        });
        var first = new CliProcess { OutputStream = output, Folder = _folder.Path };
        Assert.Equal(130, await first.RunAsync(["fetch", "--input", list, "--max", "8"], interrupted.Token));
        var journal = Assert.Single(Directory.GetFiles(_folder.Path, "*.journal"));
        Assert.Contains($"--resume {Path.GetFileName(journal)}", first.Error, StringComparison.Ordinal);

        var second = new CliProcess { Folder = _folder.Path };
        Assert.Equal(0, await second.RunAsync("fetch", "--input", list, "--resume", Path.GetFileName(journal)));
        var before = Encoding.UTF8.GetString(output.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(Index).ToArray();
        var after = second.Lines.Select(static line => line.GetProperty("index").GetInt64()).ToArray();
        Assert.InRange(before.Length, 51, Count - 1);
        Assert.Equal(Enumerable.Range(0, Count).Select(static i => (long)i), before.Concat(after).Order());
        Assert.All(before, index => Assert.Equal(1, server.Requests[$"/continue/{index}"]));

        var third = new CliProcess { Folder = _folder.Path };
        Assert.Equal(0, await third.RunAsync("fetch", "--input", list, "--resume", journal));
        Assert.Empty(third.Output);

        static long Index(string line) => JsonDocument.Parse(line).RootElement.GetProperty("index").GetInt64();
    }

    [Fact]
    public async Task What_failed_is_fetched_again_and_what_succeeded_is_not()
    {
        var journal = _folder.Of("j");
        string[] urls = [$"{server.Address}/again/fine", $"{server.Address}/again/missing"];
        Assert.Equal(1, await new CliProcess().RunAsync(["fetch", .. urls, "--resume", journal]));
        var cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync(["fetch", .. urls, "--resume", journal]));
        Assert.Equal(1, Assert.Single(cli.Lines).GetProperty("index").GetInt64());
        Assert.Equal((1, 2), (server.Requests["/again/fine"], server.Requests["/again/missing"]));
    }

    [Fact]
    public async Task A_journal_whose_last_line_was_cut_continues()
    {
        var journal = _folder.Of("j");
        string[] urls = [.. Enumerable.Range(0, 20).Select(i => $"{server.Address}/torn/{i}")];
        Assert.Equal(0, await new CliProcess().RunAsync(["fetch", .. urls, "--resume", journal]));
        var whole = await File.ReadAllBytesAsync(journal, Cancel);
        for (var length = 0; length < whole.Length; length += 7)
        {
            await File.WriteAllBytesAsync(journal, whole[..length], Cancel);
            var missing = 20 - Math.Max(0, whole.AsSpan(0, length).Count((byte)'\n') - 1);
            var cli = new CliProcess();
            Assert.Equal(0, await cli.RunAsync(["fetch", .. urls, "--resume", journal]));
            Assert.Equal(missing, cli.Lines.Length);
            Assert.Equal(21, (await File.ReadAllLinesAsync(journal, Cancel)).Length);
        }
    }

    [Fact]
    public async Task A_journal_does_not_continue_another_list_and_nothing_of_that_is_sent()
    {
        var journal = _folder.Of("j");
        Assert.Equal(0, await new CliProcess().RunAsync("fetch", $"{server.Address}/bound/a", $"{server.Address}/bound/b", "--resume", journal));
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync("fetch", $"{server.Address}/bound/new", $"{server.Address}/bound/a", "--resume", journal));
        Assert.Contains("belongs to another list", cli.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("/bound/new", server.Requests.Keys);

        var piped = new CliProcess { Input = new MemoryStream(Encoding.UTF8.GetBytes($"{server.Address}/bound/other\n")) };
        Assert.Equal(2, await piped.RunAsync("fetch", "--input", "-", "--resume", journal));
        Assert.DoesNotContain("/bound/other", server.Requests.Keys);
    }

    [Fact]
    public async Task A_longer_list_continues_the_journal_of_its_beginning()
    {
        var journal = _folder.Of("j");
        Assert.Equal(0, await new CliProcess().RunAsync("fetch", $"{server.Address}/longer/a", "--resume", journal));
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("fetch", $"{server.Address}/longer/a", $"{server.Address}/longer/b", "--resume", journal));
        Assert.Equal(1, Assert.Single(cli.Lines).GetProperty("index").GetInt64());
    }

    [Fact]
    public async Task Bodies_are_saved_completely_or_not_at_all_in_the_folder_and_nowhere_else()
    {
        var output = _folder.Of("bodies");
        var cli = new CliProcess();
        string[] urls = [$"{server.Address}/save/a", $"{server.Address}/save/..%2F..%2Fescape", $"{server.Address}/save/missing", $"{server.Address}/save/cut", $"{server.Address}/save/a"];
        Assert.Equal(1, await cli.RunAsync(["fetch", .. urls, "--output", output]));
        var files = Directory.GetFileSystemEntries(_folder.Path, "*", SearchOption.AllDirectories).Where(File.Exists).ToArray();
        Assert.Equal(3, files.Length);
        Assert.All(files, file => Assert.Equal(output, Path.GetDirectoryName(file)));
        Assert.Equal("body of /save/a", await File.ReadAllTextAsync(files.Order().First(), Cancel));
        Assert.Equal(
            files.Select(Path.GetFileName).Order(),
            cli.Lines.Where(static line => line.TryGetProperty("file", out _)).Select(static line => line.GetProperty("file").GetString()).Order());
    }

    [Fact]
    public async Task The_answer_of_a_redirect_is_saved_under_the_url_of_the_list()
    {
        var output = _folder.Of("bodies");
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("fetch", $"{server.Address}/redirect/a", "--output", output));
        Assert.EndsWith("-redirect_a", Assert.Single(Directory.GetFiles(output)), StringComparison.Ordinal);
        Assert.Equal($"{server.Address}/redirect/a", Assert.Single(cli.Lines).GetProperty("url").GetString());
        Assert.Equal("body of /target", await File.ReadAllTextAsync(Directory.GetFiles(output)[0], Cancel));
    }

    [Fact]
    public async Task What_was_fetched_before_the_list_turns_out_wrong_is_printed_and_recorded()
    {
        var list = _folder.Write("list.txt", $"{server.Address}/before/fine\n{new string('x', 70_000)}\n");
        var cli = new CliProcess { Folder = _folder.Path, Input = File.OpenRead(list) };
        Assert.Equal(2, await cli.RunAsync("fetch", "--input", "-", "--resume", "j"));
        Assert.Equal(200, Assert.Single(cli.Lines).GetProperty("status").GetInt32());
        Assert.Equal(2, (await File.ReadAllLinesAsync(_folder.Of("j"), Cancel)).Length);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_in_time_is_an_error_that_names_the_option()
    {
        var cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("fetch", $"{server.Address}/timeout/wait", "--timeout", "50ms"));
        Assert.Equal("no answer within 0.05 s (--timeout)", Assert.Single(cli.Lines).GetProperty("error").GetString());
    }

    [Fact]
    public async Task An_unfinished_file_of_an_earlier_run_is_replaced_also_if_it_is_a_link()
    {
        var elsewhere = _folder.Write("elsewhere", "untouched");
        var output = Directory.CreateDirectory(_folder.Of("bodies")).FullName;
        var name = Weir.Cli.Fetch.FileNames.Of(0, new Uri($"{server.Address}/link"));
        File.CreateSymbolicLink(Path.Combine(output, $".{name}.part"), elsewhere);
        Assert.Equal(0, await new CliProcess().RunAsync("fetch", $"{server.Address}/link", "--output", output));
        Assert.Equal("untouched", await File.ReadAllTextAsync(elsewhere, Cancel));
        Assert.Equal([name], Directory.GetFiles(output).Select(Path.GetFileName));
    }

    [Fact]
    public async Task An_output_that_nothing_reads_any_more_ends_an_endless_fetch()
    {
        var cli = new CliProcess { Input = new LineByLine(i => $"{server.Address}/closed/{i}"), OutputStream = new WatchedOutput(static _ => throw new IOException("Broken pipe")), Folder = _folder.Path };
        Assert.Equal(1, await cli.RunAsync("fetch", "--input", "-").WaitAsync(TimeSpan.FromSeconds(30), Cancel));
        Assert.Contains("weir: the outcomes cannot be written: Broken pipe", cli.Error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(_folder.Path));
    }

    [Fact]
    public async Task On_a_terminal_failures_and_a_summary_are_shown_and_no_json()
    {
        var cli = new CliProcess { IsOutputTerminal = true, IsErrorTerminal = true };
        Assert.Equal(1, await cli.RunAsync("fetch", $"{server.Address}/shown/fine", $"{server.Address}/shown/missing"));
        Assert.Equal("", cli.Output);
        Assert.Contains($"{server.Address}/shown/missing: status 404", cli.Error, StringComparison.Ordinal);
        Assert.Contains("1 fetched, 1 failed; ", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interruption_ends_a_fetch_whose_input_and_server_are_silent()
    {
        using var interrupted = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        using var silent = new System.IO.Pipes.AnonymousPipeServerStream(System.IO.Pipes.PipeDirection.Out);
        await using var input = new System.IO.Pipes.AnonymousPipeClientStream(System.IO.Pipes.PipeDirection.In, silent.ClientSafePipeHandle);
        silent.Write(Encoding.UTF8.GetBytes($"{server.Address}/silent/wait\n"));
        var cli = new CliProcess { Input = input, Folder = _folder.Path };
        var run = cli.RunAsync(["fetch", "--input", "-"], interrupted.Token);
        while (!server.Requests.ContainsKey("/silent/wait"))
        {
            await Task.Delay(5, Cancel);
        }

        await interrupted.CancelAsync();
        try
        {
            Assert.Equal(130, await run.WaitAsync(TimeSpan.FromSeconds(30), Cancel));
        }
        finally
        {
            // Ends the read that was given up.
            await silent.DisposeAsync();
        }
    }
}
