using System.Text.Json;

namespace Weir.Cli.Tests.Load;

/// <summary>Signals to a <c>weir load</c> that is a process of its own.</summary>
public sealed class InterruptionTests(CountingServer server)
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_signal_ends_a_test_with_its_figures(bool terminates)
    {
        var path = $"/signal/figures/{terminates}";
        await using var weir = WeirProcess.Start(isOutputStuck: false, "load", server.Address + path, "-d", "300s", "-c", "2", "--json", "--assert", "errors=0");
        await UntilRequestedAsync(path, 50);
        if (terminates)
        {
            weir.Terminate();
        }
        else
        {
            weir.Interrupt();
        }

        var (output, error, exitCode) = await weir.EndWithOutputAsync();
        Assert.Equal(130, exitCode);
        Assert.Matches("^weir: interrupted after [0-9.]+ s: the figures are those until then, without [0-9]+ requests? that had not ended; no assertion is judged\n$", error);
        var report = JsonDocument.Parse(output).RootElement;
        var (requests, unfinished) = (report.GetProperty("requests").GetInt64(), report.GetProperty("unfinished").GetInt64());
        Assert.True(report.GetProperty("interrupted").GetBoolean());
        Assert.InRange(server.Requests[path], requests, requests + unfinished);
        Assert.InRange(requests, 48, long.MaxValue);
        Assert.Equal(requests, report.GetProperty("responseTime").GetProperty("count").GetInt64());
        Assert.InRange(report.GetProperty("seconds").GetDouble(), 0.001, 60);
    }

    [Fact]
    public async Task A_test_of_the_open_model_whose_server_does_not_answer_says_how_many_requests_it_does_not_show()
    {
        const string Path = "/signal/wait/open";
        await using var weir = WeirProcess.Start(isOutputStuck: false, "load", server.Address + Path, "--rate", "500", "-d", "300s", "-c", "3");
        await UntilRequestedAsync(Path, 3);
        weir.Interrupt();
        var (output, error, exitCode) = await weir.EndWithOutputAsync();
        Assert.Equal(130, exitCode);
        Assert.Matches("without ([3-9]|[0-9]{2,}) requests that had not ended", error);
        Assert.Contains("0 requests in ", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_second_signal_ends_a_test_at_once()
    {
        // Its figures are not taken: without the second signal it would not end.
        const string Path = "/signal/second";
        await using var weir = WeirProcess.Start(isOutputStuck: true, "load", server.Address + Path, "-d", "300s", "-c", "2");
        await UntilRequestedAsync(Path, 1);
        weir.Interrupt();
        Assert.StartsWith("weir: interrupted after ", await weir.ReadErrorAsync(), StringComparison.Ordinal);
        weir.Interrupt();
        Assert.Equal(130, await weir.EndAsync());
    }

    private async Task UntilRequestedAsync(string path, int count)
    {
        for (var i = 0; server.Requests.GetValueOrDefault(path) < count; i++)
        {
            Assert.True(i < 6000, $"{path} was not requested {count} times within 30 s");
            await Task.Delay(5, Cancel);
        }
    }
}
