using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Weir.IntegrationTests.Workers;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>The names, verbs, shapes and statuses that other programs rely on.</summary>
[Collection(nameof(RunningShowcase))]
public sealed class WireSurfaceTests(RunningShowcase showcase)
{
    private const string Text = "text/plain";
    private const string Json = "application/json";
    private const string Forecast = """^\{"date":"\d{4}-\d\d-\d\d","temperatureC":-?\d+,"summary":"[a-z]+"\}$""";
    private const string Forecasts = """^\[\{"date":"\d{4}-\d\d-\d\d","temperatureC":-?\d+,"summary":"[a-z]+"\}(,\{"date":"\d{4}-\d\d-\d\d","temperatureC":-?\d+,"summary":"[a-z]+"\}){2}\]$""";
    private const string Report = """^\[\{"number":1,"attempt":1,"pid":\d+\},\{"number":2,"attempt":1,"pid":\d+\},\{"number":3,"attempt":1,"pid":\d+\}\]$""";
    private const string Guids = """^\["[0-9a-f-]{36}","[0-9a-f-]{36}"\]$""";
    private const string Sha512 = "^[A-Za-z0-9+/]{86}==$";

    /// <summary>Operation, arguments, media type, shape.</summary>
    public static TheoryData<string, string, string, string> Reads => new()
    {
        { "Hello/World", "", Text, "^Hello, world$" },
        { "Perf/Echo", "name=weir&x=40&y=2&e=Apple", Json, """^\{"name":"weir","sum":42\}$""" },
        { "Perf/Echo", "name=&x=-1&y=0&e=4", Json, """^\{"name":"","sum":-1\}$""" },
        { "Weather/Today", "city=Taipei", Json, Forecast },
        { "Weather/Next", "days=3&delay=1", Json, Forecasts },
        { "Weather/NextBlocking", "days=3&delay=1", Json, Forecasts },
        { "Weather/NextArray", "days=3&delay=1", Json, Forecasts },
        { "Weather/NextIsolated", "days=3&delay=1", Json, Forecasts },
        { "Weather/Stopped", "", Json, """^\{"started":\d+,"finished":\d+,"stoppedEarly":\d+,"lastStopMs":(null|[0-9.]+)\}$""" },
        { "Guids/Stream", "count=2", Json, Guids },
        { "Guids/Array", "count=2", Json, Guids },
        { "Guids/Array", "count=0", Json, @"^\[\]$" },
        { "Ticks/Again", "watcher=w&count=3&delay=1&from=1", Json, @"^\[1,2\]$" },
        { "Ticks/Kept", "watcher=w&count=3&delay=1", Json, @"^\[0,1,2\]$" },
        { "Sleep/Aio", "ms=2", Text, "^Hello world,2$" },
        { "Sleep/Bio", "ms=2", Text, "^Hello world,2$" },
        { "Sleep/BioPlain", "ms=2", Text, "^Hello world,2$" },
        { "Hasher/DoTask", "size=1000", Text, Sha512 },
        { "Neighbour/GetStatic", "", Json, """^\{"value":-?\d+,"pid":\d+\}$""" },
        { "Neighbour/HostStatic", "", Json, """^\{"value":0,"pid":\d+\}$""" },
    };

    /// <summary>Operation, a form for it.</summary>
    public static TheoryData<string, string> Writes => new()
    {
        { "Neighbour/EatMemory", "mb=1" },
        { "Neighbour/EatCpu", "seconds=0" },
        { "Neighbour/SetStatic", "value=7" },
        { "Hasher/Nothing", "" },
    };

    public static TheoryData<string, string> BadArguments => new()
    {
        { "Perf/Echo?name=a&x=one&y=2&e=Apple", "x" },
        { "Perf/Echo?name=a&x=1&y=2&e=Stone", "e" },
        { "Perf/Echo?name=a&x=1&y=2&e=3", "e" },
        { "Perf/Echo?name=a&x=1&x=2&y=2&e=Apple", "x" },
        { "Perf/Echo?x=1&y=2&e=Apple", "name" },
        { "Weather/Next?days=many", "days" },
        { "Hasher/DoTask", "size" },
    };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Reads))]
    public async Task A_read_answers_GET_and_POST_only_where_it_is_declared(string operation, string query, string mediaType, string shape)
    {
        using var got = await showcase.Client.GetAsync($"/{operation}?{query}", Token);
        await AssertAnswerAsync(got, mediaType, shape);

        using var posted = await showcase.Client.PostAsync($"/{operation}", Form(query), Token);
        if (operation == "Perf/Echo")
        {
            await AssertAnswerAsync(posted, mediaType, shape);
        }
        else
        {
            Assert.Equal(HttpStatusCode.MethodNotAllowed, posted.StatusCode);
            Assert.Equal(["GET", "HEAD"], posted.Content.Headers.Allow.Where(static verb => verb != "OPTIONS"));
        }
    }

    [Theory]
    [MemberData(nameof(Reads))]
    public async Task A_name_is_found_whatever_its_case_and_with_a_slash_behind_it(string operation, string query, string mediaType, string shape)
    {
        using var response = await showcase.Client.GetAsync($"/{operation.ToUpperInvariant()}/?{query}", Token);
        await AssertAnswerAsync(response, mediaType, shape);
    }

    [Theory]
    [MemberData(nameof(Writes))]
    public async Task An_operation_without_a_result_answers_204_to_POST_and_405_to_GET(string operation, string form)
    {
        using var content = operation.StartsWith("Hasher", StringComparison.Ordinal) ? Raw("abc") : Form(form);
        using var posted = await showcase.Client.PostAsync($"/{operation}", content, Token);
        Assert.Equal((HttpStatusCode.NoContent, 0), (posted.StatusCode, (await posted.Content.ReadAsByteArrayAsync(Token)).Length));

        using var got = await showcase.Client.GetAsync($"/{operation}?{form}", Token);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, got.StatusCode);
        Assert.Equal(["POST"], got.Content.Headers.Allow.Where(static verb => verb != "OPTIONS"));
    }

    [Theory]
    [InlineData("Neighbour/Crash?kind=Exit")]
    [InlineData("Neighbour/Loop")]
    [InlineData("Hasher/Hash")]
    [InlineData("Hasher/HashLines")]
    [InlineData("Node/Hash")]
    [InlineData("Python/Hash")]
    [InlineData("Reports/Build")]
    [InlineData("Reports/Crash")]
    public async Task What_is_not_a_read_does_not_answer_GET(string path)
    {
        using var response = await showcase.Client.GetAsync($"/{path}", Token);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
    }

    [Theory]
    [InlineData("")]
    [InlineData("abc")]
    public async Task Hash_gives_the_SHA512_of_the_raw_body(string body)
    {
        using var response = await showcase.Client.PostAsync("/Hasher/Hash", Raw(body), Token);
        await AssertAnswerAsync(response, Text, Sha512);
        Assert.Equal(Convert.ToBase64String(SHA512.HashData(Encoding.UTF8.GetBytes(body))), await response.Content.ReadAsStringAsync(Token));
    }

    [Theory]
    [InlineData("Node", "")]
    [InlineData("Node", "abc")]
    [InlineData("Python", "")]
    [InlineData("Python", "abc")]
    public async Task Another_language_gives_the_same_hash(string language, string body)
    {
        _ = Interpreters.Of(language);
        using var response = await showcase.Client.PostAsync($"/{language}/Hash", Raw(body), Token);
        await AssertAnswerAsync(response, Text, Sha512);
        Assert.Equal(Convert.ToBase64String(SHA512.HashData(Encoding.UTF8.GetBytes(body))), await response.Content.ReadAsStringAsync(Token));
    }

    [Theory]
    [InlineData("application/x-ndjson", "\"abc\"\n\"水\"\n")]
    [InlineData(Json, "[\"abc\", \"水\"]")]
    public async Task Each_line_of_a_streamed_request_is_hashed_by_a_worker(string mediaType, string body)
    {
        using var content = new StringContent(body, Encoding.UTF8);
        content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        using var response = await showcase.Client.PostAsync("/Hasher/HashLines.ndjson", content, Token);
        Assert.Equal(Line("abc") + Line("水"), await response.Content.ReadAsStringAsync(Token));

        static string Line(string text) => $"\"{Convert.ToBase64String(SHA512.HashData(Encoding.UTF8.GetBytes(text)))}\"\n";
    }

    [Fact]
    public async Task A_megabyte_is_hashed_as_it_was_sent()
    {
        var data = new byte[1 << 20];
        new Random(1).NextBytes(data);
        using var content = new ByteArrayContent(data) { Headers = { ContentType = new("application/octet-stream") } };
        using var response = await showcase.Client.PostAsync("/Hasher/Hash", content, Token);
        Assert.Equal(Convert.ToBase64String(SHA512.HashData(data)), await response.Content.ReadAsStringAsync(Token));
    }

    [Fact]
    public async Task Arguments_may_come_as_JSON()
    {
        using var response = await showcase.Client.PostAsync(
            "/Perf/Echo", new StringContent("""{"name":"weir","x":1,"y":2,"e":"Grape"}""", Encoding.UTF8, Json), Token);
        await AssertAnswerAsync(response, Json, """^\{"name":"weir","sum":3\}$""");
    }

    [Theory]
    [MemberData(nameof(BadArguments))]
    public async Task Arguments_that_do_not_bind_are_named(string path, string argument)
    {
        using var response = await showcase.Client.GetAsync($"/{path}", Token);
        var problem = await AssertProblemAsync(response, HttpStatusCode.BadRequest, "WEIR2001");
        Assert.Contains($"\"{argument}\"", problem.GetRawText(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Guids/Array?count=2000000000")]
    [InlineData("Weather/NextArray?days=2000000000&delay=0")]
    public async Task One_request_cannot_take_all_memory_of_the_host(string request)
    {
        using var response = await showcase.Client.GetAsync($"/{request}", Token);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("give 10000000 at most", await response.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Sleep/Aio?ms=-1")]
    [InlineData("Sleep/Bio?ms=-1")]
    [InlineData("Weather/Next?days=-1")]
    [InlineData("Weather/NextBlocking?delay=-1")]
    [InlineData("Weather/NextIsolated?delay=-1")]
    [InlineData("Guids/Stream?count=-1")]
    [InlineData("Hasher/DoTask?size=-1")]
    public async Task A_number_without_sense_is_a_bad_request_wherever_the_operation_runs(string path)
    {
        using var response = await showcase.Client.GetAsync($"/{path}", Token);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("is -1; give 0 or more", await response.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("respond-async, wait=60")]
    public async Task A_report_is_the_same_as_a_job(string? preference)
    {
        using var whole = await BuildAsync("pages=3&delay=1", preference);
        await AssertAnswerAsync(whole, Json, Report);

        using var bad = await BuildAsync("pages=-1", preference);
        Assert.Equal(HttpStatusCode.BadRequest, bad.StatusCode);
        Assert.Contains("pages is -1; give 0 or more", await bad.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Hello/Moon")]
    [InlineData("NoService/World")]
    [InlineData("Node/Nothing")]
    public async Task What_is_not_served_is_not_found(string path)
    {
        using var response = await showcase.Client.GetAsync($"/{path}", Token);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task A_static_that_a_worker_sets_stays_in_the_worker()
    {
        using var set = await showcase.Client.PostAsync("/Neighbour/SetStatic", Form("value=4711"), Token);
        Assert.Equal(HttpStatusCode.NoContent, set.StatusCode);

        var (_, worker) = await StaticAsync("GetStatic");
        var (value, host) = await StaticAsync("HostStatic");
        Assert.Equal((0, showcase.Process.Pid), (value, host));
        Assert.NotEqual(host, worker);
        Assert.Contains(worker, showcase.Process.Workers());
    }

    [Theory]
    [InlineData("/", "text/html")]
    [InlineData("/app.js", "text/javascript")]
    [InlineData("/app.css", "text/css")]
    public async Task The_page_and_its_files_are_served_whole_and_need_nothing_from_elsewhere(string path, string mediaType)
    {
        using var response = await showcase.Client.GetAsync(path, Token);
        Assert.Equal((HttpStatusCode.OK, mediaType), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Contains("default-src 'self'", response.Headers.GetValues("Content-Security-Policy").Single(), StringComparison.Ordinal);
        Assert.DoesNotContain("://", await response.Content.ReadAsStringAsync(Token), StringComparison.Ordinal);
    }

    private async Task<HttpResponseMessage> BuildAsync(string form, string? preference)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Reports/Build") { Content = Form(form) };
        if (preference is not null)
        {
            request.Headers.Add("Prefer", preference);
        }

        return await showcase.Client.SendAsync(request, Token);
    }

    private static StringContent Form(string form) => new(form, Encoding.UTF8, "application/x-www-form-urlencoded");

    private static StringContent Raw(string body) => new(body, new MediaTypeHeaderValue("application/octet-stream"));

    private static async Task AssertAnswerAsync(HttpResponseMessage response, string mediaType, string shape)
    {
        var body = await response.Content.ReadAsStringAsync(Token);
        Assert.True(response.IsSuccessStatusCode, $"{response.StatusCode}: {body}");
        Assert.Equal((HttpStatusCode.OK, mediaType), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        Assert.Matches(shape, body);
    }

    private static async Task<JsonElement> AssertProblemAsync(HttpResponseMessage response, HttpStatusCode status, string code)
    {
        Assert.Equal((status, "application/problem+json"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Token));
        Assert.Equal(code, problem.RootElement.GetProperty("code").GetString());
        return problem.RootElement.Clone();
    }

    private async Task<(int Value, int Pid)> StaticAsync(string operation)
    {
        using var answer = JsonDocument.Parse(await showcase.Client.GetStringAsync($"/Neighbour/{operation}", Token));
        return (answer.RootElement.GetProperty("value").GetInt32(), answer.RootElement.GetProperty("pid").GetInt32());
    }
}
