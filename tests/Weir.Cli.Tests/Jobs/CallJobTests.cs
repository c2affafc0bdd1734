namespace Weir.Cli.Tests.Jobs;

/// <summary><c>weir call --job</c> against a server that says what a test wants.</summary>
public sealed class CallJobTests
{
    private static readonly byte[] Accepted = ScriptedJobs.Accepted(ScriptedJobs.Job("ready"));

    [Fact]
    public async Task A_call_becomes_a_job_whose_result_is_printed()
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", Accepted).OnJob("", ScriptedJobs.Answer(ScriptedJobs.Job("succeeded"))).OnJob("/result", HostileServer.Json("\"done\""));
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal((0, "done\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job"), cli.Output));
        Assert.Equal($"weir: job {ScriptedJobs.Id}: {server.Address}/$jobs/{ScriptedJobs.Id}\n", cli.Error);
        Assert.Contains("\r\nPrefer: respond-async\r\n", server.Requests[0], StringComparison.Ordinal);
        Assert.Matches("\r\nIdempotency-Key: [0-9a-f]{32}\r\n", server.Requests[0]);
        Assert.EndsWith("{\"x\":\"1\"}", server.Requests[0], StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_items_of_a_stream_are_printed_and_the_request_is_one_that_may_change_something()
    {
        await using var server = new ScriptedJobs()
            .On("/Svc/Pages", ScriptedJobs.Accepted(ScriptedJobs.Stream("ready")))
            .OnJob("", ScriptedJobs.Answer(ScriptedJobs.Stream("running")))
            .OnJob("/items", ScriptedJobs.Items("1\n"), ScriptedJobs.Items("2\n{\"$weir\":{\"ok\":true,\"count\":2}}\n"));
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal((0, "1\n2\n"), (await cli.RunAsync("call", server.Address, "Svc/Pages", "--job", "--stream"), cli.Output));
        Assert.StartsWith("POST /Svc/Pages ", server.Requests[0], StringComparison.Ordinal);
        Assert.Contains(server.Requests, static request => request.Contains($"Last-Event-ID: {ScriptedJobs.Id}.0\r\n", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Without_waiting_the_id_is_all_of_the_output()
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", ScriptedJobs.Accepted(ScriptedJobs.Job("ready"), "Idempotent-Replayed: true"));
        var cli = new CliProcess();
        Assert.Equal((0, ScriptedJobs.Id + "\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job", "--key", "k-1", "--no-wait"), cli.Output));
        Assert.Equal($"weir: a job with this key was submitted before, and is this one.\nweir: job {ScriptedJobs.Id}: {server.Address}/$jobs/{ScriptedJobs.Id}\n", cli.Error);
        Assert.Contains("\r\nIdempotency-Key: k-1\r\n", Assert.Single(server.Requests), StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal((0, ScriptedJobs.Job("ready").ToJsonString() + "\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job", "--no-wait", "--json"), cli.Output));
    }

    [Fact]
    public async Task A_server_that_makes_no_job_of_it_is_named_after_its_result()
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", HostileServer.Json("\"direct\""));
        var cli = new CliProcess();
        Assert.Equal((0, "direct\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job"), cli.Output));
        Assert.StartsWith("weir: Svc/Member did not become a job: the server called it at once and answered 200.", cli.Error, StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job", "--no-wait"));
    }

    [Fact]
    public async Task A_direct_call_that_becomes_a_job_says_so()
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", Accepted);
        var cli = new CliProcess();
        Assert.Equal((0, "weir: Svc/Member: the call became a job, which is printed; give --job to wait for its result.\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1"), cli.Error));
        Assert.Contains("\"state\": \"ready\"", cli.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Where_the_outcome_is_not_known_the_key_is_named()
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", HostileServer.Response($"503 E\r\nContent-Type: application/problem+json\r\nLocation: /$jobs/{ScriptedJobs.Id}", """{"code":"WEIR2041","title":"Unknown"}"""), []);
        var cli = new CliProcess();
        Assert.Equal((1, ""), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job", "--key", "a b'c".Replace(" ", "", StringComparison.Ordinal)), cli.Output));
        Assert.Contains($"weir: the job may have been accepted: weir jobs show {server.Address} {ScriptedJobs.Id} shows whether it was, and the same command with --key 'ab'\\''c' finds it or submits it.\n", cli.Error, StringComparison.Ordinal);
        Assert.EndsWith("weir: 503: WEIR2041: Unknown\n", cli.Error, StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job"));
        Assert.Matches("\nweir: the job may have been accepted; the same command with --key [0-9a-f]{32} finds it or submits it.\n$", cli.Error);
    }

    [Theory]
    [InlineData("/$jobs/" + ScriptedJobs.Id, "/$jobs/")]
    [InlineData("http://127.0.0.1:1/$jobs/" + ScriptedJobs.Id, "/$jobs/")]
    [InlineData("//127.0.0.1:1/own/" + ScriptedJobs.Id, "/own/")]
    public async Task The_job_is_at_the_server_that_was_typed(string location, string path)
    {
        await using var server = new ScriptedJobs()
            .On("/Svc/Member", ScriptedJobs.Answer(ScriptedJobs.Job("ready"), "202 Accepted", $"Location: {location}"))
            .On(path + ScriptedJobs.Id, ScriptedJobs.Answer(ScriptedJobs.Job("succeeded"))).On($"{path}{ScriptedJobs.Id}/result", HostileServer.Json("1"));
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal((0, "1\n"), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job", "--header", "Authorization: secret"), cli.Output));
    }

    [Theory]
    [InlineData("")]
    [InlineData("\r\nLocation: /$jobs/")]
    [InlineData("\r\nLocation: :::")]
    [InlineData("\r\nLocation: /$jobs/5")]
    public async Task A_job_that_cannot_be_found_is_a_failure(string header)
    {
        await using var server = new ScriptedJobs().On("/Svc/Member", HostileServer.Response("202 Accepted\r\nContent-Type: application/json" + header, "{}"));
        var cli = new CliProcess();
        Assert.Equal((1, ""), (await cli.RunAsync("call", server.Address, "Svc/Member", "x=1", "--job"), cli.Output));
        Assert.StartsWith("weir: the server accepted a job, and its answer has ", cli.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Behind_a_base_the_job_is_there_as_well()
    {
        var job = ScriptedJobs.Job("ready");
        await using var server = new HostileServer(target => target switch
        {
            "/shop/$catalog" => HostileServer.Json(CallCatalog.Text()),
            "/shop/Svc/Member" => ScriptedJobs.Accepted(job),
            $"/shop/$jobs/{ScriptedJobs.Id}" => ScriptedJobs.Answer(ScriptedJobs.Job("cancelled")),
            $"/shop/$jobs/{ScriptedJobs.Id}/result" => ScriptedJobs.Problem(409, "WEIR2040"),
            _ => HostileServer.Response("404 Not Found\r\nContent-Length: 0", ""),
        });
        var cli = new CliProcess { Time = new SkippingTime() };
        Assert.Equal(3, await cli.RunAsync("call", server.Address + "/shop", "Svc/Member", "x=1", "--job"));
        Assert.Equal($"weir: job {ScriptedJobs.Id}: {server.Address}/shop/$jobs/{ScriptedJobs.Id}\nweir: 409: WEIR2040: Title: Detail.\n", cli.Error);
    }

    [Theory]
    [InlineData("Svc/Member x=1 --key a", "--key is given without --job")]
    [InlineData("Svc/Member x=1 --no-wait", "--no-wait is given without --job")]
    [InlineData("Svc/Member x=1 --job --key é", "--key is 'é'; choose 1 to 200 visible ASCII characters without quotation marks and backslashes.")]
    [InlineData("Svc/Member x=1 --job --key a\\b", "--key is 'a\\b'; choose 1 to 200 visible ASCII characters without quotation marks and backslashes.")]
    [InlineData("Svc/Value --job", "--job is given, and Svc/Value is called by GET, which makes no job")]
    public async Task A_wrong_input_is_named_and_nothing_is_sent(string typed, string message)
    {
        await using var server = new ScriptedJobs();
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync(["call", server.Address, .. typed.Split(' ')]));
        Assert.Contains(message, cli.Error, StringComparison.Ordinal);
        Assert.Empty(server.Requests);
    }
}
