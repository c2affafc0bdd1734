using System.Text.Json;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>What operators do.</summary>
public sealed class AdminTests : IAsyncLifetime
{
    private HttpHost _host = null!;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _host = await HttpHost.StartAsync();

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Fact]
    public async Task Jobs_are_listed_with_the_last_submitted_first_page_by_page()
    {
        var submitted = new List<string>();
        for (var index = 0; index < 7; index++)
        {
            submitted.Add(Id(await _host.SubmitAsync("Answers/Text", """{"text":"x"}""", "ann")));
        }

        var (listed, before) = (new List<string>(), (string?)null);
        do
        {
            var page = await GetAsync($"/$jobs?limit=3{(before is null ? "" : $"&before={before}")}");
            Assert.Equal(["jobs", "before"], page.EnumerateObject().Select(static member => member.Name));
            listed.AddRange(page.GetProperty("jobs").EnumerateArray().Select(static job => job.GetProperty("id").GetString()!));
            before = page.GetProperty("before").GetString();
        }
        while (before is not null);
        Assert.Equal(submitted.AsEnumerable().Reverse(), listed);
        Assert.Equal(JsonValueKind.Null, (await GetAsync($"/$jobs?before={Guid.CreateVersion7()}")).GetProperty("before").ValueKind);
    }

    [Fact]
    public async Task Jobs_are_listed_by_kind_state_and_key()
    {
        var jobs = _host.Get<IJobs<IAnswersClient>>();
        var later = await jobs.EnqueueAsync(answers => answers.Text("x"), new JobOptions { After = TimeSpan.FromHours(1), Key = "acme" }, Ct);
        var failed = await _host.SubmitAsync("Answers/Fails");
        await _host.EndAsync(failed);
        Assert.Equal([later.Id], await ListAsync("key=acme"));
        Assert.Equal([later.Id], await ListAsync("state=scheduled"));
        Assert.Equal([later.Id], await ListAsync("state=SCHEDULED&kind=Answers/Text&key=acme"));
        Assert.Equal([Guid.Parse(Id(failed))], await ListAsync("kind=Answers%2FFails"));
        Assert.Equal([Guid.Parse(Id(failed))], await ListAsync("state=failed&key="));
        Assert.Empty(await ListAsync("kind=Answers/Fails&state=succeeded"));

        async Task<IEnumerable<Guid>> ListAsync(string query) => (await GetAsync($"/$jobs?{query}")).GetProperty("jobs").EnumerateArray().Select(static job => job.GetProperty("id").GetGuid());
    }

    [Fact]
    public async Task A_query_that_is_wrong_is_refused_with_everything_that_is_wrong_in_it()
    {
        using var response = await _host.GetAsync("/$jobs?state=done&before=x&limit=1001&page=2&key=a&key=b", HttpHost.Operator);
        var problem = await HttpHost.JsonAsync(response);
        Assert.Equal((400, WeirCodes.BadArguments), ((int)response.StatusCode, problem.GetProperty("code").GetString()));
        var errors = problem.GetProperty("errors").EnumerateObject().Select(static error => error.Name).Order();
        Assert.Equal(["before", "key", "limit", "page", "state"], errors);
        foreach (var limit in new[] { "0", "-1", "1001", "x", "1.0" })
        {
            Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await _host.GetAsync($"/$jobs?limit={limit}", HttpHost.Operator)));
        }
    }

    [Fact]
    public async Task Operators_see_what_went_wrong_and_others_do_not()
    {
        var address = await _host.SubmitAsync("Controlled/FailsUnless", """{"word":"wrong"}""", "ann");
        Assert.False((await _host.EndAsync(address, "ann")).TryGetProperty("error", out _));
        const string Error = "System.InvalidOperationException: 'wrong' is not right.";
        Assert.Equal(Error, Assert.Single((await GetAsync("/$jobs")).GetProperty("jobs").EnumerateArray().ToArray()).GetProperty("error").GetString());
        var one = await GetAsync($"{address}/state");
        Assert.Equal((Id(address), Error), (one.GetProperty("id").GetString(), one.GetProperty("error").GetString()));

        // A text is cut between characters.
        var large = await _host.SubmitAsync("Controlled/FailsUnless", $$"""{"word":"{{string.Concat(Enumerable.Repeat("😀", 600))}}"}""");
        await _host.EndAsync(large);
        var text = (await GetAsync($"{large}/state")).GetProperty("error").GetString()!;
        Assert.InRange(text.Length, 499, 501);
        Assert.EndsWith("😀…", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_jobs_of_a_filter_are_begun_again_if_there_are_as_many_as_was_seen()
    {
        var failed = new List<string>();
        for (var index = 0; index < 3; index++)
        {
            failed.Add(await _host.SubmitAsync("Controlled/FailsUnless", """{"word":"wrong"}"""));
            await _host.EndAsync(failed[^1]);
        }

        await _host.EndAsync(await _host.SubmitAsync("Answers/Fails"));
        Assert.Equal(4, (await GetAsync("/$jobs/matching?state=failed")).GetProperty("count").GetInt32());
        Assert.Equal(3, (await GetAsync("/$jobs/matching?state=failed&kind=Controlled%2FFailsUnless")).GetProperty("count").GetInt32());
        await _host.PostAsync("/$jobs/kinds/Controlled/FailsUnless/pause", HttpHost.Operator);
        const string Body = """{"state":"failed","kind":"Controlled/FailsUnless","key":null,"expected":""";
        Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await _host.PostAsync("/$jobs/retry", HttpHost.Operator, $"{Body}2}}")));
        Assert.Equal(3, (await GetAsync("/$jobs/matching?state=failed&kind=Controlled%2FFailsUnless")).GetProperty("count").GetInt32());
        using var retried = await _host.PostAsync("/$jobs/retry", HttpHost.Operator, $"{Body}3}}");
        Assert.Equal((200, """{"matched":3,"changed":3}"""), ((int)retried.StatusCode, await retried.Content.ReadAsStringAsync(Ct)));
        foreach (var address in failed)
        {
            Assert.Equal("ready", (await _host.JobAsync(address)).GetProperty("state").GetString());
        }

        using var cancelled = await _host.PostAsync("/$jobs/cancel", HttpHost.Operator, """{"state":"ready","expected":3}""");
        Assert.Equal("""{"matched":3,"changed":3}""", await cancelled.Content.ReadAsStringAsync(Ct));
        Assert.Equal(3, (await GetAsync("/$jobs/matching?state=cancelled")).GetProperty("count").GetInt32());
        Assert.Equal(1, (await GetAsync("/$jobs/matching?state=failed")).GetProperty("count").GetInt32());
    }

    [Fact]
    public async Task More_jobs_than_a_page_has_are_changed_and_more_than_ten_thousand_are_not()
    {
        await _host.PostAsync("/$jobs/kinds/Answers/Text/pause", HttpHost.Operator);
        var jobs = _host.Get<IJobs<IAnswersClient>>();
        await EnqueueAsync(1_001);
        using var cancelled = await _host.PostAsync("/$jobs/cancel", HttpHost.Operator, """{"state":"ready","kind":"Answers/Text","expected":1001}""");
        Assert.Equal("""{"matched":1001,"changed":1001}""", await cancelled.Content.ReadAsStringAsync(Ct));
        await EnqueueAsync(9_000);
        using var all = await _host.PostAsync("/$jobs/retry", HttpHost.Operator, """{"state":"cancelled","expected":1001}""");
        Assert.Equal(200, (int)all.StatusCode);
        Assert.Equal(10_001, (await GetAsync("/$jobs/matching?state=ready")).GetProperty("count").GetInt32());
        Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await _host.PostAsync("/$jobs/cancel", HttpHost.Operator, """{"state":"ready","expected":10000}""")));

        async Task EnqueueAsync(int count)
        {
            for (; count > 0; count -= 1_000)
            {
                await jobs.EnqueueManyAsync(Enumerable.Repeat("x", Math.Min(count, 1_000)).ToArray(), static (answers, text) => answers.Text(text), cancellationToken: Ct);
            }
        }
    }

    [Theory]
    [InlineData("/$jobs/retry", """{"state":"failed"}""", "expected")]
    [InlineData("/$jobs/retry", """{"state":"failed","expected":0}""", "expected")]
    [InlineData("/$jobs/retry", """{"state":"failed","expected":10001}""", "expected")]
    [InlineData("/$jobs/retry", """{"state":"failed","expected":1.5}""", "expected")]
    [InlineData("/$jobs/retry", """{"state":"succeeded","expected":1}""", "state")]
    [InlineData("/$jobs/retry", """{"state":"running","expected":1}""", "state")]
    [InlineData("/$jobs/retry", """{"expected":1}""", "state")]
    [InlineData("/$jobs/cancel", """{"state":"failed","expected":1}""", "state")]
    [InlineData("/$jobs/cancel", """{"state":"ready","expected":1,"kind":5}""", "kind")]
    [InlineData("/$jobs/cancel", """{"state":"ready","expected":1,"id":"x"}""", "id")]
    [InlineData("/$jobs/cancel", "[]", "")]
    [InlineData("/$jobs/cancel", "{", "")]
    [InlineData("/$jobs/cancel", "", "")]
    public async Task A_filter_that_is_wrong_changes_nothing(string path, string json, string wrong)
    {
        using var refused = await _host.PostAsync(path, HttpHost.Operator, json);
        var problem = await HttpHost.JsonAsync(refused);
        Assert.Equal((400, WeirCodes.BadArguments), ((int)refused.StatusCode, problem.GetProperty("code").GetString()));
        Assert.Contains(wrong, problem.GetProperty("errors").EnumerateObject().Select(static error => error.Name));
    }

    [Fact]
    public async Task A_filter_is_JSON_of_16_KB_at_most()
    {
        Assert.Equal((413, WeirCodes.PayloadTooLarge), await HttpHost.ProblemAsync(await _host.PostAsync("/$jobs/retry", HttpHost.Operator, $$"""{"state":"failed","expected":1,"key":"{{new string('x', 16 * 1024)}}"}""")));
        using var form = HttpHost.Request(HttpMethod.Post, "/$jobs/cancel", HttpHost.Operator);
        form.Content = new StringContent("state=ready");
        Assert.Equal((415, WeirCodes.UnsupportedMediaType), await HttpHost.ProblemAsync(await _host.SendAsync(form, Ct)));
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await _host.GetAsync("/$jobs/matching?limit=5", HttpHost.Operator)));
    }

    [Fact]
    public async Task Jobs_are_counted_by_kind_and_state()
    {
        await _host.EndAsync(await _host.SubmitAsync("Answers/Text", """{"text":"x"}"""));
        await _host.EndAsync(await _host.SubmitAsync("Answers/Text", """{"text":"x"}"""));
        await _host.EndAsync(await _host.SubmitAsync("Answers/Fails"));
        var counts = (await GetAsync("/$jobs/counts")).GetProperty("counts").EnumerateArray()
            .Select(static count => (count.GetProperty("kind").GetString(), count.GetProperty("state").GetString(), count.GetProperty("count").GetInt32())).Order();
        Assert.Equal([("Answers/Fails", "failed", 1), ("Answers/Text", "succeeded", 2)], counts);
    }

    [Fact]
    public async Task An_autoscaler_reads_how_much_runs_and_waits()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Jobs = static jobs =>
            {
                jobs.MaxRunning = 1;
                jobs.Kind("Answers/Gated").Concurrency = 1;
            },
        });
        for (var index = 0; index < 3; index++)
        {
            await host.SubmitAsync("Answers/Gated", """{"gate":"scale"}""");
        }

        await HttpHost.UntilAsync(() => Task.FromResult(host.Board.Lines.Contains("gated scale")));
        using var response = await host.GetAsync("/$jobs/scale", HttpHost.Operator);
        Assert.Equal("""{"slots":1,"running":1,"ready":2}""", await response.Content.ReadAsStringAsync(Ct));
        host.Board.Open("scale");
    }

    [Theory]
    [InlineData("Answers/Gated")]
    [InlineData("Answers%2FGated")]
    [InlineData("answers%2fgated")]
    public async Task A_kind_is_paused_and_resumed(string name)
    {
        using var paused = await _host.PostAsync($"/$jobs/kinds/{name}/pause", HttpHost.Operator);
        Assert.Equal((200, """{"name":"Answers/Gated","isPaused":true,"running":0}"""), ((int)paused.StatusCode, await paused.Content.ReadAsStringAsync(Ct)));
        var address = await _host.SubmitAsync("Answers/Gated", """{"gate":"paused"}""");
        Assert.Equal("ready", (await _host.JobAsync(address)).GetProperty("state").GetString());
        var kind = (await GetAsync("/$jobs/kinds")).GetProperty("kinds").EnumerateArray().Single(static kind => kind.GetProperty("name").GetString() == "Answers/Gated");
        Assert.True(kind.GetProperty("isPaused").GetBoolean());
        using var again = await _host.PostAsync($"/$jobs/kinds/{name}/pause", HttpHost.Operator);
        Assert.Equal(200, (int)again.StatusCode);
        using var resumed = await _host.PostAsync($"/$jobs/kinds/{name}/resume", HttpHost.Operator);
        Assert.Contains("\"isPaused\":false", await resumed.Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);
        _host.Board.Open("paused");
        await _host.EndAsync(address);
    }

    [Theory]
    [InlineData("POST", "/$jobs/kinds/Answers/None/pause", 404)]
    [InlineData("POST", "/$jobs/kinds/Answers/Text/stop", 404)]
    [InlineData("POST", "/$jobs/kinds/pause", 404)]
    [InlineData("POST", "/$jobs/kinds/Answers/Text/", 404)]
    [InlineData("POST", "/$jobs/kinds//pause", 404)]
    [InlineData("POST", "/$jobs/schedules/None/run", 404)]
    [InlineData("POST", "/$jobs/schedules/Controlled/Yearly/stop", 404)]
    [InlineData("POST", "/$jobs/schedules/run", 404)]
    [InlineData("GET", "/$jobs/x/attempts", 404)]
    public async Task What_does_not_exist_is_unknown(string verb, string path, int status) =>
        Assert.Equal((status, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await _host.SendAsync(new HttpMethod(verb), path, HttpHost.Operator)));

    [Fact]
    public async Task The_attempts_of_a_job_say_why_each_has_failed_and_what_was_edited()
    {
        var address = await _host.SubmitAsync("Controlled/FailsUnless", """{"word":"wrong"}""");
        await _host.EndAsync(address);
        using var stored = await _host.GetAsync($"{address}/arguments", HttpHost.Operator);
        Assert.Equal("""{"word":"wrong"}""", await stored.Content.ReadAsStringAsync(Ct));
        using var edited = await _host.SendAsync(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator, """{"word":"right"}""");
        Assert.Equal((200, "failed"), ((int)edited.StatusCode, (await HttpHost.JsonAsync(edited)).GetProperty("state").GetString()));
        using var retried = await _host.PostAsync($"{address}/retry", HttpHost.Operator);
        Assert.Equal((202, address), ((int)retried.StatusCode, retried.Headers.Location!.OriginalString));
        Assert.Equal("succeeded", (await _host.EndAsync(address)).GetProperty("state").GetString());
        using var result = await _host.GetAsync($"{address}/result");
        Assert.Equal("right", await result.Content.ReadAsStringAsync(Ct));

        var attempts = (await GetAsync($"{address}/attempts")).GetProperty("attempts").EnumerateArray().ToArray();
        Assert.Equal(
            ["fence", "started", "ended", "outcome", "arguments", "exceptionType", "message", "stackTrace", "reportId", "report"],
            attempts[0].EnumerateObject().Select(static member => member.Name));
        Assert.Equal([typeof(InvalidOperationException).FullName, null], attempts.Select(static attempt => attempt.GetProperty("exceptionType").GetString()));
        Assert.Equal("'wrong' is not right.", attempts[0].GetProperty("message").GetString());
        Assert.Equal(("edited", """{"word":"wrong"}"""), (attempts[1].GetProperty("outcome").GetString(), attempts[1].GetProperty("arguments").GetRawText()));

        // A job that has succeeded is not edited; a retry of it is a new job of the same owner.
        Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await _host.SendAsync(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator, """{"word":"x"}""")));
        using var again = await _host.PostAsync($"{address}/retry", HttpHost.Operator);
        Assert.Equal(202, (int)again.StatusCode);
        Assert.NotEqual(address, again.Headers.Location!.OriginalString);
        Assert.Equal(Id(address), (await _host.EndAsync(again.Headers.Location!.OriginalString)).GetProperty("parent").GetString());
    }

    [Fact]
    public async Task Arguments_are_bound_and_validated_as_those_of_a_request_and_all_errors_are_named()
    {
        await _host.PostAsync("/$jobs/kinds/Controlled/Checked/pause", HttpHost.Operator);
        var address = $"/$jobs/{(await _host.Get<IJobs<IControlledClient>>().EnqueueAsync(controlled => controlled.Checked(3), cancellationToken: Ct)).Id}";
        using var refused = await Put("""{"number":11,"text":5,"other":1}""");
        var problem = await HttpHost.JsonAsync(refused);
        Assert.Equal((400, WeirCodes.BadArguments), ((int)refused.StatusCode, problem.GetProperty("code").GetString()));
        Assert.Equal(["other", "text"], problem.GetProperty("errors").EnumerateObject().Select(static error => error.Name).Order());
        foreach (var wrong in new[] { """{"number":11}""", "[]", "null", "", "{", """{"number":3} x""" })
        {
            Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await Put(wrong)));
        }

        using var form = HttpHost.Request(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator);
        form.Content = new StringContent("number=3");
        Assert.Equal((415, WeirCodes.UnsupportedMediaType), await HttpHost.ProblemAsync(await _host.SendAsync(form, Ct)));
        using var none = HttpHost.Request(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator);
        Assert.Equal((415, WeirCodes.UnsupportedMediaType), await HttpHost.ProblemAsync(await _host.SendAsync(none, Ct)));
        using var large = await Put($$"""{"number":3,"text":"{{new string('x', 17 * 1024 * 1024)}}"}""");
        Assert.Equal((413, WeirCodes.PayloadTooLarge), await HttpHost.ProblemAsync(large));
        Assert.Equal("""{"number":3,"text":"none"}""", await (await _host.GetAsync($"{address}/arguments", HttpHost.Operator)).Content.ReadAsStringAsync(Ct));

        using var edited = await Put($$"""{"number":4,"text":"{{new string('y', 3 * 1024 * 1024)}}"}""");
        Assert.Equal(200, (int)edited.StatusCode);
        await _host.PostAsync("/$jobs/kinds/Controlled/Checked/resume", HttpHost.Operator);
        await _host.EndAsync(address, HttpHost.Operator);
        Assert.StartsWith("4 yyy", await (await _host.GetAsync($"{address}/result", HttpHost.Operator)).Content.ReadAsStringAsync(Ct), StringComparison.Ordinal);

        Task<HttpResponseMessage> Put(string json) => _host.SendAsync(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator, json);
    }

    [Fact]
    public async Task A_key_that_an_edit_makes_too_long_is_refused()
    {
        await _host.PostAsync("/$jobs/kinds/Controlled/Charge/pause", HttpHost.Operator);
        var address = await _host.SubmitAsync("Controlled/Charge", """{"customer":"a","gate":"g"}""");
        Assert.Equal("a", (await _host.JobAsync(address)).GetProperty("key").GetString());
        var json = $$"""{"customer":"{{new string('x', 201)}}","gate":"g"}""";
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await _host.SendAsync(HttpMethod.Put, $"{address}/arguments", HttpHost.Operator, json)));
        Assert.Equal((400, WeirCodes.BadArguments), await HttpHost.ProblemAsync(await _host.PostAsync("/Controlled/Charge", null, json, "Prefer: respond-async")));
    }

    [Fact]
    public async Task What_a_job_that_has_not_ended_does_not_allow_is_a_conflict()
    {
        var address = await _host.SubmitAsync("Answers/Gated", """{"gate":"conflict"}""");
        await _host.StateAsync(address, "running");
        foreach (var (verb, path, json) in new[] { ("POST", "/retry", null), ("PUT", "/arguments", """{"gate":"other"}"""), ("DELETE", "", null) })
        {
            Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await _host.SendAsync(new HttpMethod(verb), address + path, HttpHost.Operator, json)));
        }

        _host.Board.Open("conflict");
        await _host.EndAsync(address);
    }

    [Fact]
    public async Task A_job_that_has_ended_is_deleted_with_everything_of_it()
    {
        var address = await _host.SubmitAsync("Answers/Pages", """{"count":2}""", null, "Idempotency-Key: deleted");
        await _host.EndAsync(address);
        using var deleted = await _host.SendAsync(HttpMethod.Delete, address, HttpHost.Operator);
        Assert.Equal((204, ""), ((int)deleted.StatusCode, await deleted.Content.ReadAsStringAsync(Ct)));
        foreach (var (verb, path) in new[] { ("GET", ""), ("GET", "/result"), ("GET", "/items"), ("POST", "/cancel"), ("GET", "/state"), ("GET", "/attempts"), ("GET", "/arguments"), ("POST", "/retry"), ("DELETE", "") })
        {
            Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await _host.SendAsync(new HttpMethod(verb), address + path, HttpHost.Operator)));
        }

        Assert.NotEqual(address, await _host.SubmitAsync("Answers/Pages", """{"count":2}""", null, "Idempotency-Key: deleted"));
    }

    [Theory]
    [InlineData("Controlled/Yearly")]
    [InlineData("controlled%2Fyearly")]
    public async Task A_schedule_is_paused_resumed_and_run_by_hand(string name)
    {
        var schedule = (await GetAsync("/$jobs/schedules")).GetProperty("schedules").EnumerateArray().Single();
        Assert.Equal(
            ["name", "kind", "cron", "timeZone", "source", "next", "lastDue", "lastJob", "isPaused", "isDeclared", "error"],
            schedule.EnumerateObject().Select(static member => member.Name));
        Assert.Equal(("Controlled/Yearly", "code", true), (schedule.GetProperty("name").GetString(), schedule.GetProperty("source").GetString(), schedule.GetProperty("isDeclared").GetBoolean()));
        foreach (var (action, isPaused) in new[] { ("pause", true), ("pause", true), ("resume", false), ("resume", false) })
        {
            using var changed = await _host.PostAsync($"/$jobs/schedules/{name}/{action}", HttpHost.Operator);
            Assert.Equal((200, isPaused), ((int)changed.StatusCode, (await HttpHost.JsonAsync(changed)).GetProperty("isPaused").GetBoolean()));
        }

        using var run = await _host.PostAsync($"/$jobs/schedules/{name}/run", HttpHost.Operator);
        Assert.Equal(202, (int)run.StatusCode);
        var job = await HttpHost.JsonAsync(run);
        Assert.Equal(("Controlled/Yearly", $"/$jobs/{job.GetProperty("id")}"), (job.GetProperty("kind").GetString(), run.Headers.Location!.OriginalString));
        await _host.EndAsync(run.Headers.Location!.OriginalString, HttpHost.Operator);
        Assert.StartsWith("yearly ", Assert.Single(_host.Board.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_reads_of_operators_are_for_operators_only_answer_HEAD_and_are_not_to_be_stored()
    {
        foreach (var path in new[] { "/$jobs", "/$jobs/counts", "/$jobs/matching", "/$jobs/kinds", "/$jobs/schedules", "/$jobs/scale" })
        {
            using var anonymous = await _host.GetAsync(path);
            using var other = await _host.GetAsync(path, "bob");
            using var get = await _host.GetAsync(path, HttpHost.Operator);
            using var head = await _host.SendAsync(HttpMethod.Head, path, HttpHost.Operator);
            Assert.Equal((path, 401, 403, 200, 200), (path, (int)anonymous.StatusCode, (int)other.StatusCode, (int)get.StatusCode, (int)head.StatusCode));
            Assert.Equal(("no-store", "application/json"), (get.Headers.CacheControl!.ToString(), get.Content.Headers.ContentType!.MediaType));
        }

        using var problem = await _host.GetAsync($"/$jobs/{Guid.NewGuid()}");
        Assert.Equal("no-store", problem.Headers.CacheControl!.ToString());
    }

    [Fact]
    public async Task What_operators_change_is_for_operators_only()
    {
        var address = await _host.SubmitAsync("Answers/Text", """{"text":"x"}""", "ann");
        await _host.EndAsync(address, "ann");
        foreach (var (verb, path, json) in new[]
        {
            ("POST", $"{address}/retry", null), ("PUT", $"{address}/arguments", """{"text":"y"}"""), ("DELETE", address, null), ("POST", "/$jobs/kinds/Answers/Text/pause", null), ("POST", "/$jobs/schedules/Controlled/Yearly/run", null),
            ("POST", "/$jobs/retry", """{"state":"failed","expected":1}"""), ("POST", "/$jobs/cancel", """{"state":"ready","expected":1}"""), ("GET", $"{address}/state", null),
        })
        {
            using var anonymous = await _host.SendAsync(new HttpMethod(verb), path, null, json);
            using var owner = await _host.SendAsync(new HttpMethod(verb), path, "ann", json);
            Assert.Equal((path, 401, 403), (path, (int)anonymous.StatusCode, (int)owner.StatusCode));
        }

        Assert.Single(await _host.Jobs.ListAsync(cancellationToken: Ct));
        Assert.Empty(_host.Board.Lines);
    }

    [Fact]
    public void The_codes_of_problems_are_what_the_documentation_says() => Assert.Equal(
        ["WEIR2040", "WEIR2041", "WEIR2042", "WEIR2043", "WEIR2044", "WEIR2045", "WEIR2046", "WEIR2047", "WEIR3025", "WEIR3028"],
        [
            WeirCodes.JobWithoutResult, WeirCodes.JobOutcomeUnknown, WeirCodes.JobKeyReused, WeirCodes.JobStoreUnavailable, WeirCodes.TooManyWaitingJobs, WeirCodes.JobNotFound, WeirCodes.JobCallerUnnamed,
            WeirCodes.JobContentGone, WeirCodes.JobsAdminUnprotected, WeirCodes.JobEndpointsMissing,
        ]);

    private static string Id(string address) => address.Split('/')[^1];

    private async Task<JsonElement> GetAsync(string path)
    {
        using var response = await _host.GetAsync(path, HttpHost.Operator);
        Assert.True((int)response.StatusCode == 200, $"{path}: {(int)response.StatusCode} {await response.Content.ReadAsStringAsync(Ct)}");
        return await HttpHost.JsonAsync(response);
    }
}
