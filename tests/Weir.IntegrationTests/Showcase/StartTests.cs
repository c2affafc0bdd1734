using System.Diagnostics;
using System.Net;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>What a person finds in the terminal, and which processes remain when the showcase ends.</summary>
public sealed class StartTests
{
    private const string Curl = "/usr/bin/curl";

    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task What_it_prints_names_what_is_served_and_six_curl_lines_that_work()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var curls = await CurlsAsync(showcase);
        Assert.Equal(6, curls.Count);
        Assert.Matches(@"\n  Weather +Today Next NextBlocking NextArray NextIsolated Fail Stopped\n", showcase.Output);
        Assert.Matches(@"\n  Hasher +DoTask Hash\* HashLines\* Nothing\*\n", showcase.Output);
        Assert.Matches(@"\n  Python +Hash\*\n", showcase.Output);
        Assert.Matches(@"\n  Reports +Build\* Crash\*\n", showcase.Output);
        Assert.Matches(@"\n  Reports/Build, stored in memory; --Jobs:Store names a file\n", showcase.Output);
        Assert.Matches(@"\n  hashing +2 to 5 workers", showcase.Output);
        Assert.Matches(@"\n  python +0 to \d+ workers, now none;", showcase.Output);
        Assert.Matches(@"\n  neighbours +1 to 2 workers[^\n]*\n[^\n]*256 MB \(RLIMIT_DATA\)", showcase.Output);
        if (!File.Exists(Curl))
        {
            Assert.Skip($"{Curl} is missing; apt-get install curl.");
        }

        string[] expected =
        [
            """^(\{"date":.+\}\n){20}""",
            """^id: 0\ndata: \{"date":.+\}\n(.*\n)*event: end\n""",
            "\"code\":\"WEIR2001\"",
            "^3a81oZNherrMQXNJriBBMRLm",
            "\"code\":\"WEIR2011\"",
            """^(\n*\{"number":\d+,"attempt":1,"pid":\d+\}\n){10}""",
        ];
        foreach (var (line, shape) in curls.Zip(expected))
        {
            Assert.Matches(shape, await RunAsync(line));
        }
    }

    [Fact]
    public async Task Where_another_language_is_not_installed_only_its_operations_are_rejected_with_what_to_install()
    {
        await using var showcase = await ShowcaseProcess.StartAsync(environment: new Dictionary<string, string> { ["PATH"] = "/no/such/folder" });
        foreach (var (operation, package) in new[] { ("Node/Hash", "nodejs"), ("Python/Hash", "python3") })
        {
            using var rejected = await showcase.Client.PostAsync($"/{operation}", new ByteArrayContent([1]) { Headers = { ContentType = new("application/octet-stream") } }, TestContext.Current.CancellationToken);
            Assert.Equal(HttpStatusCode.ServiceUnavailable, rejected.StatusCode);
            Assert.NotNull(rejected.Headers.RetryAfter);
            var problem = await rejected.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
            Assert.Contains("\"code\":\"WEIR2019\"", problem, StringComparison.Ordinal);
            Assert.Contains($"apt-get install {package}", problem, StringComparison.Ordinal);
        }

        Assert.Equal("Hello, world", await showcase.Client.GetStringAsync("/Hello/World", TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_request_to_end_is_followed_and_leaves_no_worker()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var workers = await WorkersAsync(showcase);

        Assert.Equal(0, await showcase.TerminateAsync());
        Assert.DoesNotContain(workers, ProcFiles.IsRunning);
    }

    [Fact]
    public async Task A_killed_host_leaves_no_worker()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var workers = await WorkersAsync(showcase);

        await showcase.KillAsync();
        Assert.True(await ProcFiles.EventuallyAsync(() => !workers.Any(ProcFiles.IsRunning), TimeSpan.FromSeconds(60)), "Workers outlived their host.");
    }

    /// <summary>The last lines it prints; the ones before are there when these are.</summary>
    private static async Task<IReadOnlyList<string>> CurlsAsync(ShowcaseProcess showcase)
    {
        IReadOnlyList<string> lines = [];
        await ProcFiles.EventuallyAsync(
            () => (lines = [.. showcase.Output.Split('\n').Select(static line => line.Trim()).Where(static line => line.StartsWith("curl ", StringComparison.Ordinal))]).Count >= 6, Soon);
        return lines;
    }

    /// <summary>At least the two of pool hashing and the one of neighbours.</summary>
    private static async Task<IReadOnlyList<int>> WorkersAsync(ShowcaseProcess showcase)
    {
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Count >= 3, Soon), $"It has {showcase.Workers().Count} workers. It printed:\n{showcase.Output}");
        return showcase.Workers();
    }

    private static async Task<string> RunAsync(string command)
    {
        using var shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", command]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var output = shell.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var complaint = shell.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var text = await output.WithinAsync(60);
        await shell.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(shell.ExitCode == 0, $"{command} ended with {shell.ExitCode}: {await complaint}");
        return text;
    }
}
