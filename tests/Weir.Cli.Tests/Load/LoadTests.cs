namespace Weir.Cli.Tests.Load;

/// <summary><c>weir load</c> against a real server.</summary>
public sealed class LoadTests(CountingServer server) : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_number_of_requests_is_sent_and_counted()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/load/count", "-c", "4", "-n", "200", "--json", "--assert", "errors=0"));
        var report = Assert.Single(cli.Lines);
        Assert.Equal((200, 0), (report.GetProperty("requests").GetInt64(), report.GetProperty("errors").GetInt64()));
        Assert.Equal(200, server.Requests["/load/count"]);
        Assert.Equal(200, report.GetProperty("responseTime").GetProperty("count").GetInt64());
        Assert.InRange(report.GetProperty("serviceTime").GetProperty("p50").GetDouble(), 0.001, report.GetProperty("serviceTime").GetProperty("max").GetDouble());
        Assert.Equal("closed", report.GetProperty("model").GetString());
    }

    [Fact]
    public async Task In_the_open_model_the_response_time_is_no_shorter_than_the_service_time()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/load/open", "--rate", "200", "--poisson", "-n", "100", "-c", "4", "--json"));
        var report = Assert.Single(cli.Lines);
        Assert.Equal((100, "open", 200.0), (report.GetProperty("requests").GetInt64(), report.GetProperty("model").GetString(), report.GetProperty("targetRate").GetDouble()));
        Assert.True(report.GetProperty("responseTime").GetProperty("max").GetDouble() >= report.GetProperty("serviceTime").GetProperty("max").GetDouble());
        Assert.Equal(100, report.GetProperty("lateness").GetProperty("count").GetInt64());
    }

    [Fact]
    public async Task Method_headers_and_body_are_sent()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/load/echo", "-n", "1", "-c", "1", "--json", "--header", "X-Test: yes", "--body", _folder.Write("body.txt", "hello")));
        Assert.Equal("POST yes hello", server.LastEcho);
    }

    [Fact]
    public async Task Errors_are_counted_by_kind_and_an_assertion_about_them_fails()
    {
        var cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("load", $"{server.Address}/load/missing", "-n", "10", "-c", "2", "--json", "--assert", "errors=0"));
        Assert.Equal(10, Assert.Single(cli.Lines).GetProperty("errorsByKind").GetProperty("status 404").GetInt64());
        Assert.Contains("weir: --assert 'errors=0' does not hold: errors is 10, 10 above 0", cli.Error, StringComparison.Ordinal);
        Assert.Contains("weir: none of 10 requests succeeded: 10 × status 404", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Streams_are_measured_item_by_item()
    {
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/load/items.ndjson", "-n", "10", "-c", "2", "--stream", "--json"));
        var report = Assert.Single(cli.Lines);
        Assert.Equal(50, report.GetProperty("items").GetInt64());
        Assert.Equal((10, 40), (report.GetProperty("firstByte").GetProperty("count").GetInt64(), report.GetProperty("itemGap").GetProperty("count").GetInt64()));
    }

    [Fact]
    public async Task On_a_terminal_tables_are_printed()
    {
        var cli = new CliProcess { IsErrorTerminal = true };
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/load/tables", "-n", "20", "-c", "2"));
        Assert.Contains("closed model: 2 connections, HTTP/1.1", cli.Output, StringComparison.Ordinal);
        Assert.Contains("20 requests in ", cli.Output, StringComparison.Ordinal);
        Assert.Contains("generator late by", cli.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://127.0.0.1:1/")]
    [InlineData("http://name.invalid/")]
    public async Task A_server_that_cannot_be_reached_is_a_wrong_input(string url)
    {
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync("load", url, "-n", "1"));
        Assert.StartsWith($"weir: {url} cannot be reached: ", cli.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", cli.Error, StringComparison.Ordinal);
        Assert.Equal("", cli.Output);
    }

    [Fact]
    public async Task An_interruption_ends_a_test()
    {
        using var interrupted = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var cli = new CliProcess();
        var run = cli.RunAsync(["load", $"{server.Address}/load/interrupted", "-d", "60s", "-c", "2"], interrupted.Token);
        while (!server.Requests.ContainsKey("/load/interrupted"))
        {
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }

        await interrupted.CancelAsync();
        Assert.Equal(130, await run.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));
        Assert.Contains("weir: interrupted", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_body_may_come_from_standard_input()
    {
        var cli = new CliProcess { Input = new MemoryStream("from a pipe"u8.ToArray()) };
        Assert.Equal(0, await cli.RunAsync("load", $"{server.Address}/stdin/echo", "-n", "1", "-c", "1", "--body", "-", "--header", "X-Test: piped"));
        Assert.Equal("POST piped from a pipe", server.LastEcho);
    }
}
