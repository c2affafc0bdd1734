using System.Text.Json.Nodes;

namespace Weir.Cli.Tests.Jobs;

/// <summary><c>weir jobs wait</c> against a server that says what a test wants.</summary>
public sealed class WaitTests
{
    private static readonly byte[] Running = ScriptedJobs.Answer(ScriptedJobs.Job("running"), headers: "Preference-Applied: wait=1");
    private static readonly byte[] Nonsense = [.. "nonsense\r\n\r\n"u8];
    private static readonly byte[] Succeeded = ScriptedJobs.Answer(ScriptedJobs.Job("succeeded"));

    [Fact]
    public async Task Each_change_is_a_line_and_the_result_is_printed()
    {
        await using var server = new ScriptedJobs()
            .OnJob(
                "",
                ScriptedJobs.Answer(ScriptedJobs.Job("ready", static job => job["attempt"] = 0)),
                Running,
                Running,
                ScriptedJobs.Answer(ScriptedJobs.Job("running", static job => job["progress"] = JsonNode.Parse("""{"fraction":0.4,"text":"page 4 of 10"}"""))),
                ScriptedJobs.Answer(ScriptedJobs.Job("running", static job => (job["attempt"], job["stopping"]) = (2, "timeout"))),
                Succeeded)
            .OnJob("/result", HostileServer.Json("{\"a\":1}"));
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal(0, await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id));
        Assert.Equal("{\n  \"a\": 1\n}\n", cli.Output);
        Assert.Equal(
            "weir: running, attempt 1 of 5\nweir: running, attempt 1 of 5, 40 %, page 4 of 10\nweir: running, is being stopped after its timeout, attempt 2 of 5\nweir: succeeded, attempt 1 of 5\n", cli.Error);
        Assert.All(server.Requests[2..^1], static request => Assert.Contains("\r\nPrefer: wait=1\r\n", request, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_terminal_shows_one_line_that_goes_away()
    {
        await using var server = new ScriptedJobs().OnJob("", Running, Running, Succeeded).OnJob("/result", HostileServer.Json("\"done\""));
        var cli = new CliProcess { Time = new SkippingTime(), IsErrorTerminal = true, IsOutputTerminal = true };
        Assert.Equal((0, "done\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.DoesNotContain("weir: ", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_job_without_a_result_and_one_that_had_ended_print_nothing_else()
    {
        await using var server = new ScriptedJobs().OnJob("", Succeeded).OnJob("/result", HostileServer.Response("204 No Content", ""));
        var cli = new CliProcess();
        Assert.Equal((0, "", ""), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output, cli.Error));
    }

    [Fact]
    public async Task Bytes_are_printed_as_they_are()
    {
        await using var server = new ScriptedJobs().OnJob("", Succeeded).OnJob("/result", HostileServer.Response("200 OK\r\nContent-Type: application/octet-stream", "\u0001\u0002bytes"));
        var cli = new CliProcess();
        Assert.Equal((0, "\u0001\u0002bytes"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
    }

    [Theory]
    [InlineData("failed", 500)]
    [InlineData("cancelled", 409)]
    [InlineData("expired", 409)]
    public async Task A_job_that_ended_without_success_has_an_exit_code_of_its_own(string state, int status)
    {
        await using var server = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Job(state))).OnJob("/result", ScriptedJobs.Problem(status, "WEIR2040"));
        var cli = new CliProcess();
        Assert.Equal((3, ""), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.Equal($"weir: {status}: WEIR2040: Title: Detail.\n", cli.Error);
        cli = new CliProcess();
        Assert.Equal((3, ""), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id, "--json"), cli.Error));
        Assert.Equal("WEIR2040", Assert.Single(cli.Lines).GetProperty("code").GetString());
    }

    [Fact]
    public async Task A_timeout_says_so_and_leaves_the_job()
    {
        await using var server = new ScriptedJobs().OnJob("", Running);
        var cli = new CliProcess();
        Assert.Equal((4, ""), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id, "--timeout", "300ms"), cli.Output));
        Assert.EndsWith($"weir: the job has not ended within 1 s, and continues. To wait for it again: weir jobs wait {server.Address} {ScriptedJobs.Id}\n", cli.Error, StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal(4, await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id, "--timeout", "300ms", "--json", "--header", "X: 1"));
        Assert.Equal("running", Assert.Single(cli.Lines).GetProperty("state").GetString());
        Assert.EndsWith($"{ScriptedJobs.Id} --header …\n", cli.Error, StringComparison.Ordinal);
        Assert.DoesNotContain(server.Targets, static target => target.StartsWith("POST", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_interruption_stops_the_waiting_and_says_how_to_cancel_the_job()
    {
        await using var server = new ScriptedJobs().OnJob("", Running);
        using var interrupted = new CancellationTokenSource();
        var cli = new CliProcess();
        var running = cli.RunAsync(["jobs", "wait", server.Address, ScriptedJobs.Id], interrupted.Token);
        while (server.Requests.Length < 2)
        {
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }

        await interrupted.CancelAsync();
        Assert.Equal(130, await running);
        Assert.EndsWith($"weir: stopped waiting; the job continues. To cancel it: weir jobs cancel {server.Address} {ScriptedJobs.Id}\n", cli.Error, StringComparison.Ordinal);
        Assert.DoesNotContain(server.Targets, static target => target.StartsWith("POST", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(502)]
    [InlineData(503)]
    public async Task A_server_that_is_away_for_a_while_is_asked_again(int status)
    {
        await using var server = new ScriptedJobs()
            .OnJob("", Running, Running, HostileServer.Response($"{status} E\r\nContent-Length: 0", ""), Nonsense, Succeeded)
            .OnJob("/result", HostileServer.Response("503 E\r\nContent-Length: 0", ""), ScriptedJobs.Accepted(ScriptedJobs.Job("running")), HostileServer.Json("1"));
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal((0, "1\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.Contains($"answered {status}; the job does not depend on it, trying again\n", cli.Error, StringComparison.Ordinal);
        Assert.Contains("cannot be reached: ", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_stays_away_is_a_failure_after_a_minute()
    {
        await using var server = new ScriptedJobs().OnJob("", Running, Running, Nonsense);
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal(1, await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id));
        Assert.EndsWith($"; the job continues. To wait for it again: weir jobs wait {server.Address} {ScriptedJobs.Id}\n", cli.Error, StringComparison.Ordinal);
        Assert.InRange(server.Requests.Length, 10, 30);
    }

    [Fact]
    public async Task The_items_are_printed_as_lines_or_as_one_array()
    {
        await using var server = new ScriptedJobs()
            .OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running")))
            .OnJob("/items", ScriptedJobs.Items("1\n{\"a\":2}\n{\"$weir\":{\"ok\":true,\"count\":2}}\n"));
        var cli = new CliProcess();
        Assert.Equal((0, "1\n{\"a\":2}\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id, "--stream"), cli.Output));
        cli = new CliProcess();
        Assert.Equal((0, "[\n  1,\n  {\"a\":2}\n]\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        cli = new CliProcess { IsOutputTerminal = true };
        Assert.Equal((0, "1\n{\"a\":2}\n", ""), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output, cli.Error));
        await using var empty = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("succeeded"))).OnJob("/items", ScriptedJobs.Items("{\"$weir\":{\"ok\":true,\"count\":0}}\n"));
        cli = new CliProcess();
        Assert.Equal((0, "[]\n"), (await cli.RunAsync("jobs", "wait", empty.Address, ScriptedJobs.Id), cli.Output));
    }

    [Fact]
    public async Task Items_continue_through_cuts_without_a_gap_or_a_repeat()
    {
        await using var server = new ScriptedJobs()
            .OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running")))
            .OnJob(
                "/items",
                ScriptedJobs.Items(""),
                ScriptedJobs.Items("10\n11\n1"),
                HostileServer.Response("503 E\r\nContent-Length: 0", ""),
                ScriptedJobs.Items("12\n{\"$weir\":{\"retry\":900,\"index\":3}}\n"),
                Nonsense,
                ScriptedJobs.Items("13\n{\"$weir\":{\"problem\":{\"status\":500}}}\n"),
                ScriptedJobs.Items("{\"$weir\":{\"ok\":true,\"count\":4}}\n"));
        var cli = new CliProcess { Time = new SkippingTime(), IsOutputTerminal = true };
        Assert.Equal((0, "10\n11\n12\n13\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.Equal(
            [null, ".-1", ".1", ".1", ".2", ".2", ".3"],
            server.Requests.Where(static request => request.Contains("/items ", StringComparison.Ordinal)).Select(static request =>
                request.Split("\r\n").FirstOrDefault(static line => line.StartsWith("Last-Event-ID: ", StringComparison.Ordinal))?[$"Last-Event-ID: {ScriptedJobs.Id}".Length..]));
        Assert.Contains("weir: the server is stopping before item 3; the job does not depend on it, trying again\n", cli.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("failed", 3)]
    [InlineData("succeeded", 1)]
    public async Task Items_that_end_with_a_problem_print_it(string state, int code)
    {
        await using var server = new ScriptedJobs()
            .OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream(state)))
            .OnJob("/items", ScriptedJobs.Items("1\n{\"$weir\":{\"problem\":{\"status\":409,\"title\":\"Late\"},\"index\":1}}\n"));
        var cli = new CliProcess();
        Assert.Equal((code, "[\n  1", "weir: 409: Late\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output, cli.Error));
    }

    [Theory]
    [InlineData("1\n{\"$weir\":{\"ok\":true,\"count\":2}}\n", "the server sent 2 items, and 1 arrived")]
    [InlineData("1\nnonsense\n", "the line of item 1 cannot be read")]
    [InlineData("1\n", "they would continue")]
    public async Task Items_that_are_not_complete_are_a_failure(string body, string reason)
    {
        await using var server = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running"))).OnJob("/items", HostileServer.Response(ScriptedJobs.Lines, body));
        var cli = new CliProcess { Time = new SkippingTime(), IsOutputTerminal = true };
        Assert.Equal((1, "1\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.Contains(reason, cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Items_of_a_job_that_was_run_again_are_not_mixed()
    {
        await using var server = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running"))).OnJob("/items", ScriptedJobs.Items("1\n"), ScriptedJobs.Items("1\n", ScriptedJobs.Id + "-1"));
        var cli = new CliProcess { Time = new SkippingTime(), IsOutputTerminal = true };
        Assert.Equal((1, "1\n"), (await cli.RunAsync("jobs", "wait", server.Address, ScriptedJobs.Id), cli.Output));
        Assert.EndsWith("the items are not complete: the job was run again, and its items begin again; read them once more.\n", cli.Error, StringComparison.Ordinal);
        await using var gone = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running"))).OnJob("/items", ScriptedJobs.Items("1\n"), ScriptedJobs.Problem(410, "WEIR2047"));
        cli = new CliProcess { Time = new SkippingTime(), IsOutputTerminal = true };
        Assert.Equal((1, "1\n"), (await cli.RunAsync("jobs", "wait", gone.Address, ScriptedJobs.Id), cli.Output));
        Assert.EndsWith("weir: 410: WEIR2047: Title: Detail.\n", cli.Error, StringComparison.Ordinal);
    }
}
