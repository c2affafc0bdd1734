using System.Globalization;
using System.Text;
using Weir.Cli.Tests.Fetch;

namespace Weir.Cli.Tests.Jobs;

/// <summary><c>weir call --job</c> and <c>weir jobs</c> against an application with jobs.</summary>
public sealed class JobsHostTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_is_submitted_found_waited_for_and_purged()
    {
        await using var host = await JobsHost.StartAsync();
        var id = (await RunAsync("call", host.Address, "Exports/Build", "name=a", "steps=7", "--job", "--no-wait", "--key", "k")).Output.TrimEnd('\n');
        Assert.True(Guid.TryParseExact(id, "D", out _), id);
        var (code, output, error) = await RunAsync("call", host.Address, "Exports/Build", "name=a", "steps=7", "--job", "--no-wait", "--key", "k");
        Assert.Equal((0, id + "\n"), (code, output));
        Assert.StartsWith("weir: a job with this key was submitted before, and is this one.\n", error, StringComparison.Ordinal);

        (code, output, error) = await RunAsync("jobs", "wait", host.Address, id, "--timeout", "300ms");
        Assert.Equal((4, ""), (code, output));
        Assert.Contains("weir: running, attempt 1 of 1, 50 %, half of a\n", error, StringComparison.Ordinal);
        (code, output, _) = await RunAsync("jobs", "list", host.Address, "--header", "X-User: ada", "--kind", "Exports/Build", "--state", "running");
        Assert.Equal(0, code);
        Assert.Matches($"^{id}  Exports/Build  running  1 of 1 ", output.Split('\n')[1]);
        Assert.Equal((1, 0), ((await RunAsync("jobs", "list", host.Address)).Code, (await RunAsync("jobs", "show", host.Address, id)).Code));

        host.Gate.Open();
        (code, output, _) = await RunAsync("jobs", "wait", host.Address, id);
        Assert.Equal((0, "a: 7\n"), (code, output));
        Assert.Equal((0, $"{id} had ended before: succeeded.\n", ""), await RunAsync("jobs", "cancel", host.Address, id));
        Assert.Equal((0, $"{id} is deleted.\n", ""), await RunAsync("jobs", "purge", host.Address, id, "--header", "X-User: ada"));
        (code, _, error) = await RunAsync("jobs", "wait", host.Address, id);
        Assert.Equal(1, code);
        Assert.StartsWith("weir: 404: WEIR2045: ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_job_that_is_cancelled_or_fails_has_an_exit_code_of_its_own()
    {
        await using var host = await JobsHost.StartAsync();
        var id = (await RunAsync("call", host.Address, "Exports/Build", "name=a", "steps=7", "--job", "--no-wait")).Output.TrimEnd('\n');
        var waiting = RunAsync("jobs", "wait", host.Address, id);
        Assert.Equal(0, (await RunAsync("jobs", "cancel", host.Address, id)).Code);
        var (code, output, error) = await waiting;
        Assert.Equal((3, ""), (code, output));
        Assert.Contains("weir: 409: WEIR2040: ", error, StringComparison.Ordinal);

        (code, output, error) = await RunAsync("call", host.Address, "Exports/Refuse", "why=no paper", "--job");
        Assert.Equal((3, ""), (code, output));
        id = error.Split(' ')[2].TrimEnd(':');
        (code, output, _) = await RunAsync("jobs", "show", host.Address, id, "--header", "X-User: ada");
        Assert.Equal(0, code);
        Assert.Contains("failed (exception)", output, StringComparison.Ordinal);
        Assert.Contains("System.InvalidOperationException: no paper\n", output, StringComparison.Ordinal);
        Assert.Contains("Exports.Refuse", output, StringComparison.Ordinal);
        (code, output, _) = await RunAsync("jobs", "show", host.Address, id);
        Assert.Equal((0, false), (code, output.Contains("no paper\n", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_failed_job_is_edited_and_retried()
    {
        using var folder = new TemporaryFolder();
        await using var host = await JobsHost.StartAsync();
        var id = (await RunAsync("call", host.Address, "Exports/Refuse", "why=no paper", "--job")).Error.Split(' ')[2].TrimEnd(':');
        Assert.Equal("{\n  \"why\": \"no paper\"\n}\n", (await RunAsync("jobs", "show", host.Address, id, "--arguments", "--header", "X-User: ada")).Output);
        var (code, _, error) = await RunAsync("jobs", "retry", host.Address, id, "--edit", folder.Write("wrong.json", "{\"why\":5}"), "--header", "X-User: ada");
        Assert.Equal(1, code);
        Assert.StartsWith("weir: 400: WEIR2001: ", error, StringComparison.Ordinal);
        Assert.Contains("\nweir:   why (", error, StringComparison.Ordinal);
        Assert.Equal(0, (await RunAsync("jobs", "retry", host.Address, id, "--edit", folder.Write("right.json", "{\"why\":\"no ink\"}"), "--header", "X-User: ada")).Code);
        Assert.Equal(3, (await RunAsync("jobs", "wait", host.Address, id)).Code);
        Assert.Contains("System.InvalidOperationException: no ink\n", (await RunAsync("jobs", "show", host.Address, id, "--header", "X-User: ada")).Output, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync("jobs", "retry", host.Address, id)).Code);
    }

    [Fact]
    public async Task Kinds_and_schedules_are_paused_and_run()
    {
        await using var host = await JobsHost.StartAsync();
        Assert.Equal((0, "Exports/Rows is paused: no job of it is started.\n", ""), await RunAsync("jobs", "pause", host.Address, "Exports/Rows", "--header", "X-User: ada"));
        Assert.Equal((0, "Exports/Rows is not paused.\n", ""), await RunAsync("jobs", "resume", host.Address, "exports/rows", "--header", "X-User: ada"));
        var (code, output, _) = await RunAsync("jobs", "schedules", host.Address, "--header", "X-User: ada");
        Assert.Equal(0, code);
        Assert.Matches("(?m)^Exports/Nightly +Exports/Nightly +0 3 \\* \\* \\* ", output);
        (code, output, _) = await RunAsync("jobs", "schedules", "run", host.Address, "Exports/Nightly", "--header", "X-User: ada");
        Assert.Equal(0, code);
        (code, output, _) = await RunAsync("jobs", "wait", host.Address, output.Split(' ')[0], "--header", "X-User: ada");
        Assert.Equal((0, ""), (code, output));
        Assert.Contains("is paused", (await RunAsync("jobs", "schedules", "pause", host.Address, "Exports/Nightly", "--header", "X-User: ada")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_of_what_is_no_job_says_so()
    {
        await using var host = await JobsHost.StartAsync();
        var (code, output, error) = await RunAsync("call", host.Address, "Exports/Direct", "--job");
        Assert.Equal((0, "direct\n"), (code, output));
        Assert.StartsWith("weir: Exports/Direct did not become a job: ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Items_continue_in_the_next_process()
    {
        const int Count = 400;
        using var folder = new TemporaryFolder();
        var first = await JobsHost.StartAsync(folder.Of("jobs.db"));
        var address = first.Address;
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var printed = new WatchedOutput(all => _ = all.Count(static one => one == '\n') >= 20 && reached.TrySetResult());
        var cli = new CliProcess { OutputStream = printed };
        var running = cli.RunAsync(["call", address, "Exports/Rows", $"count={Count}", "--job", "--stream"], Ct);
        await reached.Task.WaitAsync(Ct);
        await first.DisposeAsync();
        await using var second = await JobsHost.StartAsync(folder.Of("jobs.db"), address);
        Assert.Equal(0, await running);
        Assert.Equal(Enumerable.Range(0, Count).Select(static row => row.ToString(CultureInfo.InvariantCulture)), Encoding.UTF8.GetString(printed.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Contains("trying again", cli.Error, StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output, string Error)> RunAsync(params string[] words)
    {
        var cli = new CliProcess();
        return (await cli.RunAsync(words), cli.Output, cli.Error);
    }
}
