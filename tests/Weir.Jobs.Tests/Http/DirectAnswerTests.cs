using Weir.Jobs.Payloads;
using Weir.Runtime;

namespace Weir.Jobs.Tests.Http;

/// <summary>The result of a job is what the direct call would have answered.</summary>
public sealed class DirectAnswerTests(SharedHost shared) : IClassFixture<SharedHost>
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private HttpHost Host => shared.Host;

    public static TheoryData<string, string, string?> Calls => new()
    {
        { "Value", """{"tenant":"ä\u0000\"","year":2026}""", null },
        { "Value", """{"tenant":"a","year":1}""", "application/json" },
        { "Text", """{"text":"plain ü\r\n"}""", null },
        { "Text", """{"text":"plain ü\r\n"}""", "text/plain" },
        { "Text", """{"text":"json ü\r\n"}""", "application/json" },
        { "Text", """{"text":""}""", null },
        { "NoText", "{}", null },
        { "NoText", "{}", "application/json" },
        { "NoValue", "{}", null },
        { "Bytes", """{"count":300}""", null },
        { "Bytes", """{"count":300}""", "application/octet-stream" },
        { "Bytes", """{"count":300}""", "application/json" },
        { "Bytes", """{"count":0}""", null },
        { "Bytes", """{"count":200000}""", null },
        { "Nothing", """{"text":"done"}""", null },
        { "Nothing", """{"text":"done"}""", "image/png" },
        { "Length", """{"text":"four"}""", null },
        { "Chosen", """{"text":"chosen"}""", null },
        { "Chosen", """{"text":"chosen"}""", "application/json" },
        { "ChosenNothing", "{}", null },
        { "Declared", """{"why":"not yet"}""", null },
        { "Named", """{"why":"not yet"}""", null },
        { "Fails", "{}", null },
        { "Refuses", """{"content":"a;b\nü"}""", null },
        { "Refuses", """{"content":""}""", null },
        { "Moved", "{}", null },
        { "Unbound", "{}", null },
        { "Pages", """{"count":3,"gate":"x"}""", null },
        { "Pages", """{"count":3,"gate":"x"}""", "application/json" },
        { "Pages", """{"count":3,"gate":"x"}""", "application/x-ndjson" },
        { "Pages", """{"count":0,"gate":"x"}""", "application/json" },
        { "Pages", """{"count":0,"gate":"x"}""", "application/x-ndjson" },
        { "Chunks", """{"count":5}""", null },
        { "Chunks", """{"count":5}""", "application/octet-stream" },
        { "Chunks", """{"count":5}""", "application/json" },
        { "Chunks", """{"count":5}""", "text/event-stream" },
        { "FailsAfter", """{"count":3,"why":"enough"}""", "application/x-ndjson" },
        { "FailsAfter", """{"count":3,"why":"enough"}""", "text/event-stream" },
        { "FailsAfter", """{"count":0,"why":"at once"}""", "application/x-ndjson" },
        { "RefusesStream", """{"count":0}""", null },
        { "RefusesStream", """{"count":2}""", "application/x-ndjson" },
    };

    [Theory, MemberData(nameof(Calls))]
    public async Task The_result_is_what_the_direct_call_answers(string operation, string json, string? accept)
    {
        string[] headers = accept is null ? [] : [$"Accept: {accept}"];
        var direct = await DirectAnswer.OfAsync(await Host.PostAsync($"/Answers/{operation}", null, json, headers));
        var address = await Host.SubmitAsync($"Answers/{operation}", json, null, headers);
        await Host.EndAsync(address);
        Assert.Equal(direct, await DirectAnswer.OfAsync(await Host.GetAsync($"{address}/result", null, headers)));

        // Waited for, in the answer of the submission.
        Assert.Equal(direct, await DirectAnswer.OfAsync(await Host.PostAsync($"/Answers/{operation}", null, json, ["Prefer: respond-async, wait=60", .. headers])));
    }

    [Fact]
    public async Task A_resumable_stream_differs_from_the_direct_one_in_the_ids_of_its_events_only()
    {
        using var direct = await Host.PostAsync("/Answers/Pages", null, """{"count":3}""", "Accept: text/event-stream");
        var address = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        await Host.EndAsync(address);
        using var result = await Host.GetAsync($"{address}/result", null, "Accept: text/event-stream");
        var name = address.Split('/')[^1];
        Assert.Equal(name, HttpHost.Header(result, "Weir-Stream"));
        Assert.Equal(await direct.Content.ReadAsStringAsync(Ct), (await result.Content.ReadAsStringAsync(Ct)).Replace($"id: {name}.", "id: ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_job_that_takes_too_long_answers_as_a_call_whose_deadline_has_passed()
    {
        var address = await Host.SubmitAsync("Answers/TooLate");
        await Host.EndAsync(address);
        Assert.Equal(await HttpHost.ProblemAsync(await Host.PostAsync("/Answers/TooLate", null, "{}", "Weir-Deadline-Ms: 1")), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/result")));
        Assert.Equal((504, WeirCodes.DeadlineExceeded), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/result")));
    }

    [Fact]
    public async Task The_format_of_a_result_is_chosen_when_it_is_fetched()
    {
        var address = await Host.SubmitAsync("Answers/Text", """{"text":"twice"}""");
        await Host.EndAsync(address);
        Assert.Equal("twice", await (await Host.GetAsync($"{address}/result")).Content.ReadAsStringAsync(Ct));
        Assert.Equal("\"twice\"", await (await Host.GetAsync($"{address}/result", null, "Accept: application/json")).Content.ReadAsStringAsync(Ct));
        Assert.Equal((406, WeirCodes.NotAcceptable), await HttpHost.ProblemAsync(await Host.GetAsync($"{address}/result", null, "Accept: image/png")));
    }

    [Fact]
    public async Task The_problem_of_a_failed_job_is_in_the_job_and_is_that_of_its_result()
    {
        var address = await Host.SubmitAsync("Answers/Declared", """{"why":"closed"}""");
        var job = await Host.EndAsync(address);
        var problem = job.GetProperty("problem");
        Assert.Equal(("failed", "exception"), (job.GetProperty("state").GetString(), job.GetProperty("reason").GetString()));
        using var response = await Host.GetAsync($"{address}/result");
        var result = await HttpHost.JsonAsync(response);
        Assert.Equal(
            result.EnumerateObject().Where(static member => member.Name is not ("traceId" or "instance")).Select(static member => $"{member.Name} {member.Value}"),
            problem.EnumerateObject().Where(static member => member.Name is not ("traceId" or "instance")).Select(static member => $"{member.Name} {member.Value}"));
    }

    [Fact]
    public async Task The_result_of_a_job_that_has_not_ended_is_the_job()
    {
        var address = await Host.SubmitAsync("Answers/Gated", """{"gate":"result"}""");
        using var early = await Host.GetAsync($"{address}/result");
        Assert.Equal((202, address, "no-store"), ((int)early.StatusCode, early.Headers.Location!.OriginalString, early.Headers.CacheControl!.ToString()));
        Assert.Equal(address.Split('/')[^1], (await HttpHost.JsonAsync(early)).GetProperty("id").GetString());
        var late = Host.GetAsync($"{address}/result", null, "Prefer: wait=60");
        Host.Board.Open("result");
        using var response = await late;
        Assert.Equal((200, "result", "wait=60"), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Ct), HttpHost.Header(response, "Preference-Applied")));
        Assert.Equal("no-store", response.Headers.CacheControl!.ToString());
    }

    [Fact]
    public async Task HEAD_answers_as_GET_does_without_a_body()
    {
        var address = await Host.SubmitAsync("Answers/Chosen", """{"text":"head"}""");
        await Host.EndAsync(address);
        foreach (var path in new[] { address, $"{address}/result" })
        {
            using var get = await Host.GetAsync(path);
            var body = await get.Content.ReadAsByteArrayAsync(Ct);
            using var head = await Host.SendAsync(HttpMethod.Head, path);
            Assert.Equal((get.StatusCode, (long?)body.Length), (head.StatusCode, head.Content.Headers.ContentLength));
            Assert.Equal(get.Content.Headers.ContentType, head.Content.Headers.ContentType);
            Assert.Empty(await head.Content.ReadAsByteArrayAsync(Ct));
        }

        var stream = await Host.SubmitAsync("Answers/Pages", """{"count":3}""");
        using var items = await Host.SendAsync(HttpMethod.Head, $"{stream}/items", null, null, "Accept: text/event-stream");
        Assert.Equal((200, "text/event-stream", stream.Split('/')[^1]), ((int)items.StatusCode, items.Content.Headers.ContentType!.MediaType, HttpHost.Header(items, "Weir-Stream")));
        Assert.Empty(await items.Content.ReadAsByteArrayAsync(Ct));
    }

    [Theory]
    [InlineData("/Answers/Text.json", """{"text":"by extension"}""")]
    [InlineData("/Answers/Text.txt", """{"text":"by extension"}""")]
    [InlineData("/Answers/Pages.ndjson", """{"count":2,"gate":"x"}""")]
    [InlineData("/Answers/Pages.json", """{"count":2,"gate":"x"}""")]
    public async Task A_result_that_is_there_in_time_has_the_format_that_the_path_names(string path, string json)
    {
        using var direct = await Host.PostAsync(path, null, json);
        using var job = await Host.PostAsync(path, null, json, "Prefer: respond-async, wait=60");
        Assert.Equal((200, 200), ((int)direct.StatusCode, (int)job.StatusCode));
        Assert.Equal(direct.Content.Headers.ContentType, job.Content.Headers.ContentType);
        Assert.Equal(await direct.Content.ReadAsStringAsync(Ct), await job.Content.ReadAsStringAsync(Ct));
    }

    [Fact]
    public async Task A_result_of_another_version_is_sent_as_it_is_stored_where_JSON_is_accepted()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        var text = await host.SubmitAsync("Answers/Text", """{"text":"x"}""");
        var value = await host.SubmitAsync("Answers/Value", """{"tenant":"a","year":1}""");
        await host.EndAsync(text);
        await host.EndAsync(value);
        store.Result = new StoredResult(ResultEncoding.Json, null, [], """{"renamed": [1]}"""u8.ToArray()).Write();
        foreach (var address in new[] { text, value })
        {
            using var json = await host.GetAsync($"{address}/result", null, "Accept: application/json");
            Assert.Equal((200, "application/json", """{"renamed": [1]}"""), ((int)json.StatusCode, json.Content.Headers.ContentType!.MediaType, await json.Content.ReadAsStringAsync(Ct)));
        }

        Assert.Equal((406, WeirCodes.NotAcceptable), await HttpHost.ProblemAsync(await host.GetAsync($"{text}/result", null, "Accept: text/plain")));
        store.Result = [9, 9, 9, 9, 9, 9, 9];
        Assert.Equal((500, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await host.GetAsync($"{text}/result")));
    }

    [Fact]
    public async Task A_job_of_a_kind_that_this_process_does_not_have_is_shown_and_has_no_result()
    {
        var store = new UnluckyStore();
        await using var host = await HttpHost.StartAsync(new() { Store = store });
        var address = await host.SubmitAsync("Answers/Pages", """{"count":1}""");
        await host.EndAsync(address);
        store.Kind = "Gone/Kind";
        var job = await host.JobAsync(address);
        Assert.Equal(("Gone/Kind", 0, null), (job.GetProperty("kind").GetString(), job.GetProperty("attempts").GetInt32(), job.GetProperty("links").GetProperty("items").GetString()));
        Assert.Equal((500, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await host.GetAsync($"{address}/result")));
        Assert.Equal((404, WeirCodes.JobNotFound), await HttpHost.ProblemAsync(await host.GetAsync($"{address}/items")));
    }

    [Fact]
    public async Task A_job_without_a_result_says_why()
    {
        await using var host = await HttpHost.StartAsync(new() { Jobs = static jobs => jobs.Run = false });
        var cancelled = await host.SubmitAsync("Answers/Text", """{"text":"x"}""");
        (await host.PostAsync($"{cancelled}/cancel")).Dispose();
        Assert.Equal((409, WeirCodes.JobWithoutResult), await HttpHost.ProblemAsync(await host.GetAsync($"{cancelled}/result")));
        Assert.Equal(409, (await host.JobAsync(cancelled)).GetProperty("problem").GetProperty("status").GetInt32());
    }
}
