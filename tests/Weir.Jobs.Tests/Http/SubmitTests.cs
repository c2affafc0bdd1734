using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Http;

/// <summary>When a request becomes a job, and what it is answered.</summary>
public sealed class SubmitTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private const string Async = "Prefer: respond-async";

    private static readonly string[] Members =
    [
        "id", "kind", "state", "reason", "stopping", "attempt", "attempts", "submitted", "due", "started", "ended", "expires", "progress", "items", "key", "priority", "parent", "problem", "links",
    ];

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    [Fact]
    public async Task A_request_that_prefers_it_becomes_a_job_and_the_answer_is_the_job()
    {
        using var response = await Host.PostAsync("/Answers/Value", "ann", """{"tenant":"a","year":2026}""", Async);
        Assert.Equal(202, (int)response.StatusCode);
        var job = await HttpHost.JsonAsync(response);
        var id = job.GetProperty("id").GetGuid();
        Assert.Equal($"/$jobs/{id:D}", response.Headers.Location!.OriginalString);
        Assert.Equal("respond-async", HttpHost.Header(response, "Preference-Applied"));
        Assert.Equal("application/json", response.Content.Headers.ContentType!.MediaType);
        Assert.Equal("no-store", response.Headers.CacheControl!.ToString());
        Assert.Null(HttpHost.Header(response, "Idempotent-Replayed"));
        Assert.Equal(Members, job.EnumerateObject().Select(static member => member.Name));
        Assert.Equal("Answers/Value", job.GetProperty("kind").GetString());
        Assert.Equal("normal", job.GetProperty("priority").GetString());
        Assert.Equal(TimeSpan.Zero, DateTimeOffset.Parse(job.GetProperty("submitted").GetString()!, CultureInfo.InvariantCulture).Offset);
        Assert.Equal(
            [("self", $"/$jobs/{id}"), ("result", $"/$jobs/{id}/result"), ("items", null), ("cancel", $"/$jobs/{id}/cancel")],
            job.GetProperty("links").EnumerateObject().Select(static link => (link.Name, link.Value.GetString())));

        var ended = await Host.EndAsync($"/$jobs/{id}", "ann");
        Assert.Equal(Members, ended.EnumerateObject().Select(static member => member.Name));
        Assert.Equal(("succeeded", 1, JsonValueKind.Null), (ended.GetProperty("state").GetString(), ended.GetProperty("attempt").GetInt32(), ended.GetProperty("problem").ValueKind));
    }

    [Theory]
    [InlineData("Prefer: respond-async")]
    [InlineData("Prefer: Respond-ASYNC")]
    [InlineData("prefer: handling=lenient, respond-async; x=1")]
    [InlineData("Prefer: return=minimal", "Prefer: respond-async")]
    [InlineData("Prefer: foo=\"a, b\", respond-async")]
    [InlineData("Prefer: respond-async, wait=0")]
    [InlineData("Prefer: respond-async, wait=nonsense")]
    [InlineData("Prefer: respond-async, wait=-1")]
    [InlineData("Prefer: ,, ;=, \"\", respond-async")]
    public async Task The_preference_is_understood_in_every_form_that_headers_have(params string[] headers)
    {
        using var response = await Host.PostAsync("/Answers/Gated", null, """{"gate":"preferences"}""", headers);
        Assert.Equal((202, "respond-async"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        await CancelAsync(response.Headers.Location!.OriginalString);
    }

    [Theory]
    [InlineData]
    [InlineData("Prefer: wait=5")]
    [InlineData("Prefer: respond-asynchronously")]
    [InlineData("Prefer: foo=\"respond-async\"")]
    [InlineData("Prefer: foo; respond-async")]
    [InlineData("Prefer: ")]
    public async Task A_request_without_the_preference_is_answered_with_the_result(params string[] headers)
    {
        using var response = await Host.PostAsync("/Answers/Text", null, """{"text":"direct"}""", headers);
        Assert.Equal((200, "direct"), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Ct)));
        Assert.Null(HttpHost.Header(response, "Preference-Applied"));
        Assert.Null(response.Headers.Location);
    }

    [Theory]
    [InlineData("GET")]
    [InlineData("HEAD")]
    public async Task A_safe_verb_runs_directly_whatever_it_prefers(string verb)
    {
        using var response = await Host.SendAsync(new HttpMethod(verb), "/Answers/Length?text=" + verb, null, null, Async, "Idempotency-Key: bad key");
        Assert.Equal(200, (int)response.StatusCode);
        Assert.Contains("length " + verb, Host.Board.Lines);
        using var post = await Host.PostAsync("/Answers/Length?text=abc", null, null, Async);
        Assert.Equal(202, (int)post.StatusCode);
    }

    [Fact]
    public async Task An_operation_can_ask_that_every_request_or_none_becomes_a_job()
    {
        using var always = await Host.PostAsync("/Deferred/Always", null, """{"text":"a"}""");
        Assert.Equal(202, (int)always.StatusCode);
        Assert.Null(HttpHost.Header(always, "Preference-Applied"));
        await Host.EndAsync(always.Headers.Location!.OriginalString);

        using var waited = await Host.PostAsync("/Deferred/Always", null, """{"text":"waited"}""", "Prefer: wait=60");
        Assert.Equal((200, "wait=60", "waited"), ((int)waited.StatusCode, HttpHost.Header(waited, "Preference-Applied"), await waited.Content.ReadAsStringAsync(Ct)));

        using var never = await Host.PostAsync("/Deferred/Never", null, """{"text":"b"}""", Async, "Idempotency-Key: bad key");
        Assert.Equal((200, "b"), ((int)never.StatusCode, await never.Content.ReadAsStringAsync(Ct)));
        Assert.Null(HttpHost.Header(never, "Preference-Applied"));
        Assert.Contains("never b", Host.Board.Lines);
    }

    [Fact]
    public async Task An_application_with_an_operation_that_always_becomes_a_job_and_no_jobs_does_not_start()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpHost.StartAsync(new() { Map = static app => app.MapWeir() }));
        Assert.Contains("Deferred/Always", failure.Message, StringComparison.Ordinal);
        Assert.Contains("See WEIR3028", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_MapWeirJobs_the_preference_is_ignored()
    {
        await using var host = await HttpHost.StartAsync(new() { Map = static app => app.MapWeirService<Answers>() });
        using var response = await host.PostAsync("/Answers/Text", null, """{"text":"direct"}""", Async);
        Assert.Equal((200, "direct"), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Ct)));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task Endpoint_filters_run_before_a_job_is_stored_and_may_refuse_it_or_change_its_arguments()
    {
        var stored = -1;
        await using var host = await HttpHost.StartAsync(new()
        {
            Map = app =>
            {
                app.MapWeir().AddEndpointFilter(async (context, next) =>
                {
                    stored = (await app.Services.GetRequiredService<IJobs>().ListAsync(cancellationToken: Ct)).Count;
                    var text = context.GetArgument<string>(0);
                    if (text == "refused")
                    {
                        return Results.StatusCode(418);
                    }

                    context.Arguments[0] = text + " by a filter";
                    return await next(context);
                });
                app.MapWeirJobs();
            },
        });
        using var refused = await host.PostAsync("/Answers/Text", null, """{"text":"refused"}""", Async);
        Assert.Equal(418, (int)refused.StatusCode);
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));

        using var changed = await host.PostAsync("/Answers/Text", null, """{"text":"changed"}""", "Prefer: respond-async, wait=60");
        Assert.Equal((200, "changed by a filter"), ((int)changed.StatusCode, await changed.Content.ReadAsStringAsync(Ct)));
        Assert.Equal(0, stored);
        Assert.Single(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Theory]
    [InlineData("""{"tenant":"a"}""", "year")]
    [InlineData("""{"tenant":"a","year":"soon"}""", "year")]
    [InlineData("""{"tenant":"a","year":0}""", "year")]
    [InlineData("""{"tenant":"a","year":2026""", null)]
    public async Task What_does_not_bind_or_is_not_valid_is_refused_as_always_and_nothing_is_stored(string json, string? wrong)
    {
        await using var host = await HttpHost.StartAsync();
        using var response = await host.PostAsync("/Answers/Value", null, json, Async);
        var problem = await HttpHost.JsonAsync(response);
        using var direct = await host.PostAsync("/Answers/Value", null, json);
        var expected = await HttpHost.JsonAsync(direct);
        Assert.Equal((400, (int)direct.StatusCode), ((int)response.StatusCode, 400));
        Assert.Equal(expected.GetProperty("code").GetString(), problem.GetProperty("code").GetString());
        Assert.Equal(expected.GetProperty("detail").GetString(), problem.GetProperty("detail").GetString());
        Assert.Contains(wrong ?? "", problem.ToString(), StringComparison.Ordinal);
        Assert.Null(HttpHost.Header(response, "Preference-Applied"));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task Arguments_that_are_too_large_for_a_job_are_refused_and_the_direct_call_takes_them()
    {
        await using var host = await HttpHost.StartAsync(new() { Jobs = static jobs => jobs.Kind("Answers/Text").MaxWaiting = null });
        var json = $$"""{"text":"{{new string('x', 17 * 1024 * 1024)}}"}""";
        Assert.Equal((413, WeirCodes.PayloadTooLarge), await HttpHost.ProblemAsync(await host.PostAsync("/Answers/Text", null, json, Async)));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
        using var direct = await host.PostAsync("/Answers/Text", null, json);
        Assert.Equal(200, (int)direct.StatusCode);
    }

    [Fact]
    public async Task Where_as_many_jobs_wait_as_may_a_request_is_refused_and_says_when_to_come_back()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Jobs = static jobs =>
            {
                jobs.Run = false;
                jobs.Kind("Answers/Text").MaxWaiting = 1;
            },
        });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"first"}""", null, "Idempotency-Key: one");
        using var refused = await host.PostAsync("/Answers/Text", null, """{"text":"second"}""", Async, "Idempotency-Key: two");
        Assert.Equal("10", HttpHost.Header(refused, "Retry-After"));
        Assert.Null(refused.Headers.Location);
        Assert.Equal((503, WeirCodes.TooManyWaitingJobs), await HttpHost.ProblemAsync(refused));
        Assert.Single(await host.Jobs.ListAsync(cancellationToken: Ct));
        Assert.Equal(address, await host.SubmitAsync("Answers/Text", """{"text":"first"}""", null, "Idempotency-Key: one"));
    }

    [Fact]
    public async Task A_store_that_takes_nothing_is_a_503_after_which_nothing_is_stored()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        store.Failure = new JobStoreException("disk full");
        using var refused = await host.PostAsync("/Answers/Text", null, """{"text":"a"}""", Async);
        Assert.Equal("1", HttpHost.Header(refused, "Retry-After"));
        Assert.Null(refused.Headers.Location);
        Assert.Equal((503, WeirCodes.JobStoreUnavailable), await HttpHost.ProblemAsync(refused));
        store.Failure = null;
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
        await host.EndAsync(await host.SubmitAsync("Answers/Text", """{"text":"b"}"""));
    }

    [Fact]
    public async Task A_commit_that_is_known_not_to_have_happened_is_no_unknown_outcome()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        store.Failure = new JobStoreException("the disk did not sync") { IsUnknown = true };
        Assert.Equal((503, WeirCodes.JobStoreUnavailable), await HttpHost.ProblemAsync(await host.PostAsync("/Answers/Text", null, """{"text":"a"}""", Async)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_commit_whose_outcome_is_unknown_is_said_with_the_address_and_a_repeat_with_the_same_key_finds_the_job(bool answersQuestions)
    {
        var store = new UnluckyStore();
        string address;
        await using (var host = await HttpHost.StartAsync(new() { Store = store }))
        {
            store.AppliesBeforeFailing = true;
            store.Failure = new JobStoreException("the disk did not sync") { IsUnknown = true };
            store.ReadFailure = answersQuestions ? null : new JobStoreException("no answer");
            using var unknown = await host.PostAsync("/Answers/Text", "ann", """{"text":"a"}""", Async, "Idempotency-Key: k");
            address = unknown.Headers.Location!.OriginalString;
            Assert.NotNull(HttpHost.Header(unknown, "Retry-After"));
            Assert.Equal((503, WeirCodes.JobOutcomeUnknown), await HttpHost.ProblemAsync(unknown));
        }

        (store.Failure, store.ReadFailure) = (null, null);
        await using var next = await HttpHost.StartAsync(new() { Store = store });
        using var repeated = await next.PostAsync("/Answers/Text", "ann", """{"text":"a"}""", "Prefer: respond-async", "Idempotency-Key: k");
        Assert.Equal((202, "true", address), ((int)repeated.StatusCode, HttpHost.Header(repeated, "Idempotent-Replayed"), repeated.Headers.Location!.OriginalString));
        Assert.Single(await next.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task A_job_that_is_stored_and_cannot_be_read_is_not_said_to_be_refused()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        store.ReadFailure = new JobStoreException("no answer");
        using var response = await host.PostAsync("/Answers/Text", null, """{"text":"a"}""", Async);
        Assert.Equal(202, (int)response.StatusCode);
        var address = response.Headers.Location!.OriginalString;
        Assert.Equal((503, WeirCodes.JobStoreUnavailable), await HttpHost.ProblemAsync(await host.GetAsync(address)));
        store.ReadFailure = null;
        Assert.Equal("succeeded", (await host.EndAsync(address)).GetProperty("state").GetString());
    }

    [Fact]
    public async Task A_job_whose_result_cannot_be_read_in_time_is_accepted()
    {
        var store = new UnluckyStore { ReadResultFailure = new JobStoreException("no answer") };
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        using var response = await host.PostAsync("/Answers/Text", null, """{"text":"a"}""", "Prefer: respond-async, wait=60");
        Assert.Equal((202, "respond-async"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        Assert.Null(HttpHost.Header(response, "Content-Location"));
        store.ReadResultFailure = null;
        Assert.Equal("a", await (await host.GetAsync($"{response.Headers.Location!.OriginalString}/result")).Content.ReadAsStringAsync(Ct));
    }

    [Fact]
    public async Task A_repeat_whose_job_cannot_be_read_says_that_it_may_have_been_accepted()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"a"}""", null, "Idempotency-Key: k");
        store.ReadFailure = new JobStoreException("no answer");
        using var repeated = await host.PostAsync("/Answers/Text", null, """{"text":"a"}""", Async, "Idempotency-Key: k");
        Assert.Equal(address, repeated.Headers.Location!.OriginalString);
        Assert.Equal((503, WeirCodes.JobOutcomeUnknown), await HttpHost.ProblemAsync(repeated));
        store.ReadFailure = null;
    }

    [Fact]
    public async Task A_submission_whose_request_timeout_passes_while_it_waits_is_accepted()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Services = static services => services.AddRequestTimeouts(static options => options.AddPolicy("short", TimeSpan.FromMilliseconds(50))),
            Before = static app =>
            {
                app.UseRouting();
                app.UseRequestTimeouts();
            },
            Map = static app =>
            {
                app.MapWeir().WithRequestTimeout("short");
                app.MapWeirJobs();
            },
        });
        using var response = await host.PostAsync("/Answers/Gated", null, """{"gate":"timeout"}""", "Prefer: respond-async, wait=60");
        Assert.Equal(202, (int)response.StatusCode);
        host.Board.Open("timeout");
        await host.EndAsync(response.Headers.Location!.OriginalString);
    }

    [Fact]
    public async Task A_filter_that_replaces_the_answer_of_a_job_fails_and_nothing_is_stored()
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Map = static app =>
            {
                app.MapWeir().AddEndpointFilter(static async (context, next) => await next(context) is var value && context.GetArgument<string>(0) == "refused" ? Results.StatusCode(409) : Results.Ok(new Envelope(value)));
                app.MapWeirJobs();
            },
        });
        using var wrapped = await host.PostAsync("/Answers/Text", null, """{"text":"wrapped"}""", Async);
        using var refused = await host.PostAsync("/Answers/Text", null, """{"text":"refused"}""", Async);
        Assert.Equal((500, 409), ((int)wrapped.StatusCode, (int)refused.StatusCode));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    [Fact]
    public async Task What_a_submission_has_received_of_another_stream_does_not_matter_to_the_items_of_the_job()
    {
        using var response = await Host.PostAsync("/Answers/Pages", null, """{"count":9}""", "Prefer: respond-async, wait=60", "Last-Event-ID: 7");
        Assert.Equal(200, (int)response.StatusCode);
        Assert.Equal(1, System.Text.Json.JsonDocument.Parse(await response.Content.ReadAsStringAsync(Ct)).RootElement.GetArrayLength());
    }

    [Fact]
    public async Task A_job_knows_its_submitter_by_whom_it_takes_turns_and_shows_no_key_for_that()
    {
        foreach (var user in new[] { null, "ann" })
        {
            var address = await Host.SubmitAsync("Answers/Submitter", "{}", user);
            var job = await Host.EndAsync(address, user);
            Assert.Equal(System.Text.Json.JsonValueKind.Null, job.GetProperty("key").ValueKind);
            var submitter = await (await Host.GetAsync($"{address}/result", user)).Content.ReadAsStringAsync(Ct);
            Assert.Equal(user is null, submitter == "null");
            Assert.Equal(user is not null, submitter.EndsWith("ann", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task No_cache_has_a_result_and_no_cookie_is_sent_twice()
    {
        var address = await Host.SubmitAsync("Answers/Cached", "{}");
        await Host.EndAsync(address);
        using var response = await Host.GetAsync($"{address}/result");
        Assert.Equal(("no-store", null, "cached"), (HttpHost.Header(response, "Cache-Control"), HttpHost.Header(response, "Set-Cookie"), HttpHost.Header(response, "X-Answer")));
    }

    [Fact]
    public async Task A_result_with_a_status_that_no_response_has_is_a_problem_as_for_the_direct_call()
    {
        using var direct = await Host.PostAsync("/Answers/Mislabelled", null, "{}");
        var address = await Host.SubmitAsync("Answers/Mislabelled", "{}");
        await Host.EndAsync(address);
        using var later = await Host.GetAsync($"{address}/result");
        var problem = await HttpHost.ProblemAsync(direct);
        Assert.Equal((500, WeirCodes.HandlerFailed), problem);
        Assert.Equal(problem, await HttpHost.ProblemAsync(later));
    }

    [Fact]
    public async Task A_result_that_is_there_in_time_is_the_answer_and_says_where_it_is()
    {
        using var response = await Host.PostAsync("/Answers/Chosen", null, """{"text":"now"}""", "Prefer: respond-async, wait=60");
        Assert.Equal((201, "respond-async, wait=60", "now"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied"), HttpHost.Header(response, "X-Answer")));
        var address = HttpHost.Header(response, "Content-Location")!;
        Assert.Matches("^/\\$jobs/[0-9a-f-]{36}/result$", address);
        Assert.Null(response.Headers.Location);
        Assert.Equal(await response.Content.ReadAsStringAsync(Ct), await (await Host.GetAsync(address)).Content.ReadAsStringAsync(Ct));
    }

    [Fact]
    public async Task A_failure_that_is_there_in_time_is_the_answer()
    {
        using var response = await Host.PostAsync("/Answers/Declared", null, """{"why":"closed"}""", "Prefer: wait=100, respond-async");
        Assert.Equal("respond-async, wait=60", HttpHost.Header(response, "Preference-Applied"));
        Assert.Equal((409, WeirCodes.OperationStatus), await HttpHost.ProblemAsync(response));
    }

    [Fact]
    public async Task The_items_of_a_stream_that_is_there_in_time_are_the_answer_in_the_format_that_is_accepted()
    {
        using var response = await Host.PostAsync("/Answers/Pages", null, """{"count":2,"gate":"g"}""", "Prefer: respond-async, wait=60", "Accept: application/x-ndjson");
        Assert.Equal((200, "application/x-ndjson"), ((int)response.StatusCode, response.Content.Headers.ContentType!.MediaType));
        Assert.Contains("\"year\":1", await response.Content.ReadAsStringAsync(Ct), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task A_result_that_is_not_there_in_time_is_a_202()
    {
        using var response = await Host.PostAsync("/Answers/Gated", null, """{"gate":"not in time"}""", "Prefer: respond-async, wait=1");
        Assert.Equal((202, "respond-async"), ((int)response.StatusCode, HttpHost.Header(response, "Preference-Applied")));
        Assert.Null(HttpHost.Header(response, "Content-Location"));
        Host.Board.Open("not in time");
        await Host.EndAsync(response.Headers.Location!.OriginalString);
    }

    [Fact]
    public async Task The_deadline_of_a_request_ends_its_wait_and_not_its_job()
    {
        using var response = await Host.PostAsync("/Answers/Gated", null, """{"gate":"deadline"}""", "Prefer: respond-async, wait=60", "Weir-Deadline-Ms: 50");
        Assert.Equal(202, (int)response.StatusCode);
        Host.Board.Open("deadline");
        Assert.Equal("succeeded", (await Host.EndAsync(response.Headers.Location!.OriginalString)).GetProperty("state").GetString());
    }

    [Fact]
    public async Task A_format_that_the_operation_cannot_answer_in_is_refused_before_anything_is_stored()
    {
        await using var host = await HttpHost.StartAsync();
        Assert.Equal((406, WeirCodes.NotAcceptable), await HttpHost.ProblemAsync(await host.PostAsync("/Answers/Value", null, """{"tenant":"a","year":1}""", Async, "Accept: image/png")));
        Assert.Empty(await host.Jobs.ListAsync(cancellationToken: Ct));
    }

    private async Task CancelAsync(string address)
    {
        using var cancelled = await Host.PostAsync($"{address}/cancel");
        Assert.True(cancelled.IsSuccessStatusCode);
    }

    private sealed record Envelope(object? Data);
}
