using System.Text;
using System.Text.Json.Nodes;

namespace Weir.Cli.Tests.Jobs;

/// <summary>The commands of <c>weir jobs</c> but for wait, against a server that says what a test wants.</summary>
public sealed class JobsCommandTests : IDisposable
{
    private const string Other = "0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7082";

    private static readonly string[] NoWords = [];

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_list_is_a_line_for_each_job()
    {
        var list = new JsonObject
        {
            ["jobs"] = new JsonArray(
                ScriptedJobs.Job("running", static job => (job["progress"], job["key"]) = (JsonNode.Parse("""{"fraction":0.999,"text":null}"""), "tenant")),
                ScriptedJobs.Job("failed", static job => (job["id"], job["reason"]) = (Other, "crashed"))),
            ["before"] = null,
        };
        await using var server = new ScriptedJobs().On("/$jobs?kind=Svc%2FMember&state=failed&key=a%26b&before=" + Other + "&limit=100", ScriptedJobs.Answer(list));
        string[] words = ["jobs", "list", server.Address, "--kind", "Svc/Member", "--state", "Failed", "--key", "a&b", "--before", Other];
        var cli = new CliProcess();
        Assert.Equal((0, ""), (await cli.RunAsync(words), cli.Error));
        Assert.Equal(
            [["id", "kind", "state", "attempt", "submitted", "progress", "key"], [ScriptedJobs.Id, "Svc/Member", "running", "1 of 5", "2026-10-04 12:00:00Z", "99 %", "tenant"], [Other, "Svc/Member", "failed (crashed)", "1 of 5", "2026-10-04 12:00:00Z"]],
            cli.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split("  ", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)));
        cli = new CliProcess();
        Assert.Equal((0, list.ToJsonString() + "\n"), (await cli.RunAsync([.. words, "--json"]), cli.Output));
    }

    [Fact]
    public async Task Pages_are_joined_up_to_the_limit()
    {
        await using var server = new ScriptedJobs()
            .On("/$jobs?limit=1000", Page(1000, Other))
            .On($"/$jobs?before={Other}&limit=500", Page(500, Other));
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("jobs", "list", server.Address, "--limit", "1500"));
        Assert.Equal(1501, cli.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Equal($"weir: there may be more; give --limit, or --before {Other}.\n", cli.Error);
        cli = new CliProcess();
        Assert.Equal((0, ""), (await cli.RunAsync("jobs", "list", server.Address, "--limit", "1500", "--json"), cli.Error));
        var joined = Assert.Single(cli.Lines);
        Assert.Equal((1500, Other), (joined.GetProperty("jobs").GetArrayLength(), joined.GetProperty("before").GetString()));

        static byte[] Page(int count, string? before) =>
            ScriptedJobs.Answer(new JsonObject { ["jobs"] = new JsonArray([.. Enumerable.Range(0, count).Select(static _ => ScriptedJobs.Job("ready"))]), ["before"] = before });
    }

    [Fact]
    public async Task A_list_without_jobs_says_so()
    {
        await using var server = new ScriptedJobs().On("/$jobs?limit=100", HostileServer.Json("""{"jobs":[],"before":null}"""));
        var cli = new CliProcess();
        Assert.Equal((0, "", "weir: there are no such jobs.\n"), (await cli.RunAsync("jobs", "list", server.Address), cli.Output, cli.Error));
    }

    [Fact]
    public async Task A_job_is_shown_with_its_problem_and_its_attempts()
    {
        var job = ScriptedJobs.Job("failed", static job => (job["reason"], job["problem"]) = ("exception", JsonNode.Parse("""{"status":500,"code":"WEIR2003","title":"Failed","detail":"It threw."}""")));
        const string Attempts = """
            {"attempts":[{"fence":3,"started":"2026-10-04T12:00:00Z","ended":"2026-10-04T12:00:05Z","outcome":"threw","arguments":null,"exceptionType":"System.InvalidOperationException","message":"No paper.","stackTrace":"   at A\n   at B","reportId":null,"report":null},
             {"fence":4,"started":"2026-10-04T12:01:00Z","ended":"2026-10-04T12:01:00Z","outcome":"crashed","arguments":null,"exceptionType":null,"message":null,"stackTrace":null,"reportId":"r7","report":"signal 11\nlast line"},
             {"fence":4,"started":"2026-10-04T12:02:00Z","ended":"2026-10-04T12:02:00Z","outcome":"edited","arguments":{"x":1},"exceptionType":null,"message":null,"stackTrace":null,"reportId":null,"report":null}]}
            """;
        await using var server = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(job)).OnJob("/attempts", HostileServer.Json(Attempts));
        var cli = new CliProcess();
        Assert.Equal((0, ""), (await cli.RunAsync("jobs", "show", server.Address, ScriptedJobs.Id), cli.Error));
        Assert.Contains("failed (exception)", cli.Output, StringComparison.Ordinal);
        Assert.Contains("problem: 500: WEIR2003: Failed: It threw.\n", cli.Output, StringComparison.Ordinal);
        Assert.EndsWith(
            "\nattempt with fence 3: threw, 2026-10-04 12:00:00Z to 2026-10-04 12:00:05Z\nSystem.InvalidOperationException: No paper.\n   at A\n   at B\n"
            + "\nattempt with fence 4: crashed, 2026-10-04 12:01:00Z\ncrash report r7\nsignal 11\nlast line\n"
            + "\nattempt with fence 4: edited, 2026-10-04 12:02:00Z\narguments before: {\"x\":1}\n",
            cli.Output,
            StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal((0, job.ToJsonString() + "\n"), (await cli.RunAsync("jobs", "show", server.Address, ScriptedJobs.Id, "--json"), cli.Output));
    }

    [Theory]
    [InlineData(401)]
    [InlineData(403)]
    [InlineData(404)]
    public async Task A_caller_that_may_not_see_the_attempts_sees_the_job(int status)
    {
        await using var server = new ScriptedJobs().OnJob("", ScriptedJobs.Answer(ScriptedJobs.Job("failed"))).OnJob("/attempts", HostileServer.Response($"{status} E\r\nContent-Length: 0", ""));
        var cli = new CliProcess();
        Assert.Equal((0, ""), (await cli.RunAsync("jobs", "show", server.Address, ScriptedJobs.Id), cli.Error));
        Assert.Contains($"url        {server.Address}/$jobs/{ScriptedJobs.Id}", cli.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("running", "202 Accepted", "is being cancelled; its operation still runs.")]
    [InlineData("cancelled", "200 OK", "is cancelled.")]
    [InlineData("succeeded", "200 OK", "had ended before: succeeded.")]
    public async Task A_cancel_says_what_became_of_it(string state, string status, string message)
    {
        await using var server = new ScriptedJobs().OnJob("/cancel", ScriptedJobs.Answer(ScriptedJobs.Job(state), status));
        var cli = new CliProcess();
        Assert.Equal((0, $"{ScriptedJobs.Id} {message}\n", ""), (await cli.RunAsync("jobs", "cancel", server.Address, ScriptedJobs.Id), cli.Output, cli.Error));
        Assert.Equal([$"POST /$jobs/{ScriptedJobs.Id}/cancel"], server.Targets);
    }

    [Fact]
    public async Task Arguments_are_shown_edited_and_retried()
    {
        await using var server = new ScriptedJobs()
            .OnJob("/arguments", HostileServer.Json("""{"x":"old"}"""), ScriptedJobs.Answer(ScriptedJobs.Job("failed")))
            .OnJob("/retry", ScriptedJobs.Answer(ScriptedJobs.Job("ready"), "202 Accepted"), ScriptedJobs.Answer(ScriptedJobs.Job("ready", static job => job["id"] = Other), "202 Accepted"));
        var cli = new CliProcess();
        Assert.Equal((0, "{\n  \"x\": \"old\"\n}\n"), (await cli.RunAsync("jobs", "show", server.Address, ScriptedJobs.Id, "--arguments"), cli.Output));
        _folder.Write("a.json", "\uFEFF{\"x\":\"new\"}");
        cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal((0, $"{ScriptedJobs.Id} runs again: ready, attempt 1 of 5.\n"), (await cli.RunAsync("jobs", "retry", server.Address, ScriptedJobs.Id, "--edit", "a.json"), cli.Output));
        cli = new CliProcess { Input = new MemoryStream(Encoding.UTF8.GetBytes("{\"x\":\"typed\"}")) };
        Assert.Equal((0, $"{ScriptedJobs.Id} had succeeded; {Other} is a new job with its arguments: ready, attempt 1 of 5.\n"), (await cli.RunAsync("jobs", "retry", server.Address, ScriptedJobs.Id, "--edit", "-"), cli.Output));
        Assert.Equal(["GET arguments", "PUT arguments", "POST retry", "PUT arguments", "POST retry"], server.Targets.Select(static target => $"{target.Split(' ')[0]} {target.Split('/')[^1]}"));
        Assert.Contains("Content-Type: application/json\r\n", server.Requests[1], StringComparison.Ordinal);
        Assert.EndsWith("{\"x\":\"new\"}", server.Requests[1], StringComparison.Ordinal);
        Assert.EndsWith("{\"x\":\"typed\"}", server.Requests[3], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Arguments_that_do_not_bind_are_named_and_the_job_is_not_retried()
    {
        await using var server = new ScriptedJobs().OnJob("/arguments", ScriptedJobs.Problem(400, "WEIR2001", ""","bindingErrors":[{"name":"x","source":"body","reason":"missing"},{"name":"y","source":"body","reason":"invalid","expected":"int32"}]"""));
        _folder.Write("a.json", "{}");
        _folder.Write("list.json", "[1]");
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal((1, ""), (await cli.RunAsync("jobs", "retry", server.Address, ScriptedJobs.Id, "--edit", "a.json"), cli.Output));
        Assert.EndsWith("weir:   x (body): missing\nweir:   y (body): invalid, expected int32\n", cli.Error, StringComparison.Ordinal);
        Assert.Single(server.Requests);
        foreach (var (file, message) in new[] { ("list.json", "--edit 'list.json' has no JSON object"), ("absent", "--edit 'absent' cannot be read"), (".", "--edit '.' cannot be read") })
        {
            cli = new CliProcess { Folder = _folder.Path };
            Assert.Equal(2, await cli.RunAsync("jobs", "retry", server.Address, ScriptedJobs.Id, "--edit", file));
            Assert.Contains(message, cli.Error, StringComparison.Ordinal);
        }

        Assert.Single(server.Requests);
    }

    [Fact]
    public async Task Kinds_are_paused_and_resumed()
    {
        await using var server = new ScriptedJobs()
            .On("/$jobs/kinds/Svc/A%20b/pause", HostileServer.Json("""{"name":"Svc/A b","isPaused":true,"running":2}"""))
            .On("/$jobs/kinds/Svc/A%20b/resume", HostileServer.Json("""{"name":"Svc/A b","isPaused":false,"running":0}"""));
        var cli = new CliProcess();
        Assert.Equal((0, "Svc/A b is paused: no job of it is started; 2 running.\n"), (await cli.RunAsync("jobs", "pause", server.Address, "Svc/A b"), cli.Output));
        cli = new CliProcess();
        Assert.Equal((0, "Svc/A b is not paused.\n"), (await cli.RunAsync("jobs", "resume", server.Address, "Svc/A b"), cli.Output));
        cli = new CliProcess();
        Assert.Equal((0, "{\"name\":\"Svc/A b\",\"isPaused\":false,\"running\":0}\n"), (await cli.RunAsync("jobs", "resume", server.Address, "Svc/A b", "--json"), cli.Output));
        Assert.All(server.Targets, static target => Assert.StartsWith("POST ", target, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Schedules_are_listed_paused_resumed_and_run()
    {
        const string Schedule = """{"name":"Nightly","kind":"Svc/A","cron":"0 3 * * *","timeZone":"Europe/Berlin","source":"code","next":"2026-10-05T01:00:00Z","lastDue":null,"lastJob":null,"isPaused":false,"isDeclared":true,"error":null}""";
        const string Second = """{"name":"Old","kind":"Svc/B","cron":"* * * * *","timeZone":"UTC","source":"configuration","next":null,"lastDue":"2026-10-04T01:00:00Z","lastJob":null,"isPaused":true,"isDeclared":false,"error":"no such kind"}""";
        await using var server = new ScriptedJobs()
            .On("/$jobs/schedules", HostileServer.Json($$"""{"schedules":[{{Schedule}},{{Second}}]}"""))
            .On("/$jobs/schedules/Nightly/pause", HostileServer.Json(Second))
            .On("/$jobs/schedules/Nightly/resume", HostileServer.Json(Schedule))
            .On("/$jobs/schedules/Nightly/run", ScriptedJobs.Answer(ScriptedJobs.Job("ready"), "202 Accepted"));
        var cli = new CliProcess();
        Assert.Equal((0, ""), (await cli.RunAsync("jobs", "schedules", server.Address), cli.Error));
        var lines = cli.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Matches("^Nightly +Svc/A +0 3 \\* \\* \\* +Europe/Berlin +code +2026-10-05 01:00:00Z +active *$", lines[1]);
        Assert.Matches("^Old .* 2026-10-04 01:00:00Z +paused, not declared any more, no such kind *$", lines[2]);
        foreach (var (action, expected) in new[] { ("pause", "Old is paused.\n"), ("resume", "Nightly is not paused; next at 2026-10-05 01:00:00Z.\n"), ("run", $"{ScriptedJobs.Id} was submitted.\n") })
        {
            cli = new CliProcess();
            Assert.Equal((0, expected, ""), (await cli.RunAsync("jobs", "schedules", action, server.Address, "Nightly"), cli.Output, cli.Error));
        }

        cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync("jobs", "schedules", server.Address, "--json"));
        Assert.Equal(2, Assert.Single(cli.Lines).GetProperty("schedules").GetArrayLength());
    }

    [Fact]
    public async Task A_job_is_purged()
    {
        await using var server = new ScriptedJobs().OnJob("", HostileServer.Response("204 No Content", ""), ScriptedJobs.Problem(409, "WEIR2040"));
        var cli = new CliProcess();
        Assert.Equal((0, $"{ScriptedJobs.Id} is deleted.\n"), (await cli.RunAsync("jobs", "purge", server.Address, ScriptedJobs.Id), cli.Output));
        cli = new CliProcess();
        Assert.Equal((1, "", "weir: 409: WEIR2040: Title: Detail.\n"), (await cli.RunAsync("jobs", "purge", server.Address, ScriptedJobs.Id), cli.Output, cli.Error));
        Assert.Equal([$"DELETE /$jobs/{ScriptedJobs.Id}", $"DELETE /$jobs/{ScriptedJobs.Id}"], server.Targets);
    }

    [Theory]
    [InlineData("", "/$jobs")]
    [InlineData("/", "/$jobs")]
    [InlineData("/$catalog", "/$jobs")]
    [InlineData("/shop/", "/shop/$jobs")]
    [InlineData("/shop/$jobs", "/shop/$jobs")]
    [InlineData("/shop --path own/jobs", "/shop/own/jobs")]
    public async Task The_jobs_are_found_from_the_URL_of_the_application(string typed, string path)
    {
        await using var server = new ScriptedJobs().On($"{path}?limit=100", HostileServer.Json("""{"jobs":[]}"""));
        var cli = new CliProcess();
        Assert.Equal(0, await cli.RunAsync(["jobs", "list", .. (server.Address + typed).Split(' ')]));
        Assert.Equal([$"GET {path}?limit=100"], server.Targets);
    }

    [Fact]
    public async Task What_is_not_served_or_not_allowed_says_what_to_do()
    {
        await using var server = new ScriptedJobs()
            .On("/$jobs/schedules", ScriptedJobs.Problem(404, "WEIR2045"))
            .OnJob("/cancel", ScriptedJobs.Problem(404, "WEIR2045"))
            .OnJob("/retry", HostileServer.Response("401 Unauthorized\r\nContent-Length: 0", ""));
        var cli = new CliProcess();
        Assert.Equal((1, ""), (await cli.RunAsync("jobs", "list", server.Address), cli.Output));
        Assert.Equal($"weir: 404\nweir: {server.Address}/$jobs?limit=100 is not served: the application must call app.MapWeirJobsAdmin(), and --path must say where if that is not '/$jobs'.\n", cli.Error);
        cli = new CliProcess();
        Assert.Equal(1, await cli.RunAsync("jobs", "schedules", server.Address));
        Assert.Contains("the application must call app.MapWeirJobsAdmin()", cli.Error, StringComparison.Ordinal);
        cli = new CliProcess();
        Assert.Equal((1, "weir: 404: WEIR2045: Title: Detail.\n"), (await cli.RunAsync("jobs", "cancel", server.Address, ScriptedJobs.Id), cli.Error));
        cli = new CliProcess();
        Assert.Equal((1, "weir: 401\nweir: --header must bring what the application's policy asks for.\n"), (await cli.RunAsync("jobs", "retry", server.Address, ScriptedJobs.Id), cli.Error));
    }

    [Theory]
    [InlineData("list URL --state gone", "--state is 'gone'; choose scheduled, ready, running, succeeded, failed, cancelled, expired.")]
    [InlineData("list URL --before x", "--before is 'x', which is no id of a job")]
    [InlineData("list URL --limit 0", "--limit is '0'")]
    [InlineData("list URL --header x", "--header is 'x'; write 'Name: value'")]
    [InlineData("list URL --path /a{b", "--path is '/a{b'")]
    [InlineData("show URL x", "ID is 'x', which is no id of a job")]
    [InlineData("wait URL 7 --timeout 5", "--timeout is '5'")]
    [InlineData("pause URL a/../b", "KIND is 'a/../b'")]
    [InlineData("schedules run URL .", "NAME is '.'")]
    [InlineData("schedules run URL", "'weir jobs schedules run --help' lists what there is")]
    [InlineData("cancel nowhere 0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081", "'nowhere' is no URL")]
    public async Task A_wrong_input_is_named_and_nothing_is_sent(string typed, string message)
    {
        await using var server = new ScriptedJobs();
        var cli = new CliProcess();
        Assert.Equal(2, await cli.RunAsync(["jobs", .. typed.Split(' ').Select(word => word == "URL" ? server.Address : word)]));
        Assert.Contains(message, cli.Error, StringComparison.Ordinal);
        Assert.Empty(server.Requests);
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("<html>")]
    [InlineData("{\"jobs\":5,\"schedules\":{}}")]
    [InlineData("{\"id\":5,\"kind\":\"a\",\"state\":\"b\"}")]
    [InlineData("{\"\\ud800\":1,\"id\":\"\\ud800\",\"kind\":\"\\ud800\",\"state\":\"\\ud800\"}")]
    public async Task Whatever_a_server_sends_is_a_line_and_no_fault(string body)
    {
        await using var server = new ScriptedJobs()
            .On("/$jobs?limit=100", HostileServer.Json(body)).On("/$jobs/schedules", HostileServer.Json(body)).OnJob("", HostileServer.Json(body)).OnJob("/cancel", HostileServer.Json(body)).OnJob("/retry", HostileServer.Json(body));
        foreach (var command in "list schedules show wait cancel retry".Split(' '))
        {
            var cli = new CliProcess { Time = new SkippingTime() };
            Assert.Equal((1, ""), (await cli.RunAsync(["jobs", command, server.Address, .. command is "list" or "schedules" ? NoWords : [ScriptedJobs.Id]]), cli.Output));
            Assert.StartsWith("weir: ", Assert.Single(cli.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries)), StringComparison.Ordinal);
            Assert.DoesNotContain("fault of weir", cli.Error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_a_server_sends_cannot_command_a_terminal(bool isTerminal)
    {
        const string Bad = "\u001b[31m\u0007\u009b1m\u202e\u2066x\nweir: forged";
        var job = ScriptedJobs.Job("failed", static job =>
        {
            foreach (var name in "kind reason stopping submitted due key priority parent".Split(' '))
            {
                job[name] = Bad;
            }

            job["progress"] = new JsonObject { ["fraction"] = 1e300, ["text"] = Bad };
            job["problem"] = new JsonObject { ["title"] = Bad };
        });
        var list = new JsonObject { ["jobs"] = new JsonArray(job.DeepClone()) };
        var attempts = new JsonObject { ["attempts"] = new JsonArray(new JsonObject { ["outcome"] = Bad, ["exceptionType"] = Bad, ["message"] = Bad, ["stackTrace"] = Bad, ["reportId"] = Bad, ["report"] = Bad }) };
        var schedules = new JsonObject { ["schedules"] = new JsonArray(new JsonObject { ["name"] = Bad, ["kind"] = Bad, ["cron"] = Bad, ["timeZone"] = Bad, ["source"] = Bad, ["next"] = Bad, ["error"] = Bad }) };
        await using var server = new ScriptedJobs()
            .On("/$jobs?limit=100", ScriptedJobs.Answer(list)).On("/$jobs/schedules", ScriptedJobs.Answer(schedules)).OnJob("", ScriptedJobs.Answer(job)).OnJob("/attempts", ScriptedJobs.Answer(attempts))
            .OnJob("/cancel", ScriptedJobs.Answer(job)).OnJob("/retry", ScriptedJobs.Answer(job)).OnJob("/result", ScriptedJobs.Answer(job, "500 E"))
            .On("/$jobs/kinds/a/pause", ScriptedJobs.Answer(new JsonObject { ["name"] = Bad })).On("/$jobs/schedules/a/pause", ScriptedJobs.Answer(new JsonObject { ["name"] = Bad, ["next"] = Bad }));
        foreach (var command in "list,schedules,show,wait,cancel,retry,pause,schedules pause".Split(','))
        {
            string[] rest = command switch { "list" or "schedules" => [], "pause" or "schedules pause" => ["a"], _ => [ScriptedJobs.Id] };
            var cli = new CliProcess { IsOutputTerminal = isTerminal, IsErrorTerminal = isTerminal && command != "wait" };
            Assert.NotEqual(2, await cli.RunAsync(["jobs", .. command.Split(' '), server.Address, .. rest]));
            Assert.NotEqual("", cli.Output + cli.Error);
            Assert.DoesNotContain(cli.Output + cli.Error, static letter => letter is (char)27 or (char)7 or '\u009b' or '\u202e' or '\u2066');
            Assert.DoesNotContain("\nweir: forged", cli.Error, StringComparison.Ordinal);
        }
    }
}
