using System.Globalization;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Whether an operation is isolated changes neither what it accepts nor what it gets.</summary>
public sealed class TravellingTests
{
    private const string Ndjson = "application/x-ndjson";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Tag?tag=x%20%22y", null, "x \"y")]
    [InlineData("Tag", """{"tag":"é\n"}""", "é\n")]
    [InlineData("Tag", "tag=a%26b", "a&b")]
    [InlineData("Points?points=1,2&points=3,04&one=5,6", null, "1/2 3/4 5")]
    [InlineData("Points", """{"points":["1,2","3,4"],"one":null}""", "1/2 3/4 ")]
    [InlineData("Points", "points=1,2&one=7,8", "1/2 7")]
    [InlineData("Money?money=1.5", null, "1.5")]
    [InlineData("Money", """{"money":"1.5","more":[null,"2.25","1,000"]}""", "1.5  2.25 1000")]
    public async Task A_value_that_parses_its_text_is_parsed_from_the_text_that_arrived(string path, string? body, string answer)
    {
        await using var host = await StartAsync();

        Assert.Equal((200, answer), await SendAsync(host, path, body));
        Assert.Equal((200, answer), await SendAsync(host, Isolated(path), body));
    }

    [Theory]
    [InlineData("/Travelling/at/1,2")]
    [InlineData("/Travelling/isolated/at/1,2")]
    public async Task Text_of_a_path_and_of_headers_travels_as_it_is(string path)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, path) { Headers = { { "X-Tags", "a, \"b, c\"" } } };
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Equal("2 a+b, c", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("1", 1)]
    [InlineData("-170141183460469231731687303715884105729", 1)]
    [InlineData("9", 1_000_000)]
    public async Task A_number_without_bound_keeps_its_digits(string some, int times)
    {
        await using var host = await StartAsync();
        var digits = string.Concat(Enumerable.Repeat(some, times));
        var (status, bits) = await SendAsync(host, "Big", $$"""{"value":"{{digits}}"}""");

        Assert.Equal((status, bits), await SendAsync(host, "BigIsolated", $$"""{"value":"{{digits}}"}"""));
        Assert.Equal(200, status);
    }

    [Theory]
    [InlineData("Numbers", null, "NaN -Infinity Infinity ")]
    [InlineData("Numbers?four=NaN&one=1", null, "1 -Infinity Infinity NaN")]
    public async Task A_number_that_JSON_cannot_hold_reaches_the_operation(string path, string? body, string answer)
    {
        await using var host = await StartAsync();

        Assert.Equal((200, answer), await SendAsync(host, path, body));
        Assert.Equal((200, answer), await SendAsync(host, Isolated(path), body));
    }

    [Theory]
    [InlineData("Reading", """{"reading":{"one":"NaN","two":"-Infinity","more":[1,"Infinity"]},"more":["NaN",2],"named":{"a":"-Infinity"}}""", "NaN -Infinity 1+Infinity NaN+2 -Infinity")]
    [InlineData("Readings", """[{"one":"NaN","more":[]},{"one":2,"more":[]}]""", "NaN|2")]
    public async Task Settings_that_read_such_numbers_hold_wherever_the_operation_runs(string operation, string body, string answer)
    {
        await using var host = await StartAsync(static json => json.NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals);

        Assert.Equal((200, answer), await SendAsync(host, operation, body));
        Assert.Equal((200, answer), await SendAsync(host, Isolated(operation), body));
    }

    [Theory]
    [InlineData("NotANumber")]
    [InlineData("NotANumberIsolated")]
    public async Task Such_a_number_is_no_result(string operation)
    {
        await using var host = await StartAsync();

        Assert.Equal(500, (await SendAsync(host, operation, "{}")).Status);
    }

    [Theory]
    [InlineData("0001-01-01T00:00:00+05:00", null)]
    [InlineData("0001-01-01T03:00+05:00", null)]
    [InlineData("9999-12-31T23:00:00-05:00", null)]
    [InlineData("9999-12-31T18:59:59Z", "9999-12-31T18:59:59Z")]
    [InlineData("2026-01-31T12:00:00+05:00", "2026-01-31T07:00:00Z")]
    public async Task A_time_outside_of_the_calendar_is_refused(string text, string? utc)
    {
        await using var host = await StartAsync();
        foreach (var operation in new[] { "At", "AtIsolated" })
        {
            var (status, answer) = await SendAsync(host, operation, $$"""{"at":"{{text}}"}""");
            Assert.Equal(utc is null ? 400 : 200, status);
            Assert.Equal(utc is null ? null : $"\"{utc}\"", utc is null ? null : answer);
        }
    }

    [Theory]
    [InlineData("Element", """{"a":"\ud800"}""")]
    [InlineData("Element", """{"b":["\ud83d\ude00","\ud83d\ud83d"]}""")]
    [InlineData("Document", "\"\\uDFFF\"")]
    [InlineData("Any", """{"a":"\ud800"}""")]
    public async Task JSON_that_is_kept_as_it_came_leaves_as_it_came(string operation, string body)
    {
        await using var host = await StartAsync();

        Assert.Equal((200, body), await SendAsync(host, operation, body));
        Assert.Equal((200, body), await SendAsync(host, Isolated(operation), body));
    }

    [Theory]
    [InlineData(64, 200)]
    [InlineData(65, 400)]
    public async Task JSON_is_as_deep_wherever_the_operation_runs(int levels, int status)
    {
        await using var host = await StartAsync();
        var body = new string('[', levels) + new string(']', levels);
        foreach (var operation in new[] { "Element", "ElementIsolated" })
        {
            var (answered, text) = await SendAsync(host, operation, body);
            Assert.Equal(status, answered);
            Assert.DoesNotContain("frame", text, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("Lines", false)]
    [InlineData("Lines", true)]
    [InlineData("LinesIsolated", false)]
    [InlineData("LinesIsolated", true)]
    [InlineData("Blocking", false)]
    [InlineData("Blocking", true)]
    [InlineData("Kept", false)]
    public async Task An_item_whose_JSON_has_line_breaks_is_one_line_and_one_event(string operation, bool hasOwnSettings)
    {
        const string Item = "{ \"a\":  1 }";
        await using var host = await StartAsync(hasOwnSettings ? static json => json.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower : null);

        foreach (var accept in new[] { Ndjson, Ndjson + "; weir=1", "text/event-stream", "application/json" })
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"/Travelling/{operation}");
            if (operation.StartsWith("Lines", StringComparison.Ordinal))
            {
                request.Content = new StringContent("[{\n\"a\":\r\n1\r}]", Encoding.UTF8, "application/json");
            }

            request.Headers.Accept.Add(MediaTypeWithQualityHeaderValue.Parse(accept));
            using var response = await host.Client.SendAsync(request, Cancel);
            var text = await response.Content.ReadAsStringAsync(Cancel);

            Assert.Equal(200, (int)response.StatusCode);
            var lines = text.Split('\n').Where(static line => line.Contains("\"a\"", StringComparison.Ordinal)).ToList();
            Assert.Equal([accept switch { "text/event-stream" => "data: " + Item, "application/json" => $"[{Item}]", _ => Item }], lines);
            Assert.DoesNotContain('\r', text);
        }
    }

    [Theory]
    [InlineData("Shape", """{"radius":1}""", "shape")]
    [InlineData("Shape", """{"radius":1,"$type":"circle"}""", "shape")]
    [InlineData("Shape", """{"$type":"oval"}""", "shape")]
    [InlineData("Shape", """{"$type":{}}""", "shape.$type")]
    [InlineData("Shapes", """{"shapes":[{"$type":"circle","radius":1},{"side":2}]}""", "box.shapes[1]")]
    [InlineData("Named", """{"name":"x"}""", "named")]
    public async Task A_value_that_does_not_say_which_of_its_types_it_is_is_refused_with_its_path(string operation, string body, string path)
    {
        await using var host = await StartAsync();
        foreach (var name in new[] { operation, operation + "Isolated" })
        {
            var (status, text) = await SendAsync(host, name, body);
            Assert.Equal(400, status);
            Assert.Equal([path], JsonDocument.Parse(text).RootElement.GetProperty("bindingErrors").EnumerateArray().Select(static one => one.GetProperty("name").GetString()));
        }
    }

    [Theory]
    [InlineData("Shape", """{"radius":2,"$type":"circle"}""", "Circle { Radius = 2 }")]
    [InlineData("Shapes", """{"shapes":[{"side":2,"$type":"square"}]}""", "Square { Side = 2, At =  }")]
    [InlineData("Named", """{"name":"x","$type":"person"}""", "x")]
    public async Task It_may_say_so_later_where_the_settings_of_the_application_allow_it(string operation, string body, string answer)
    {
        await using var host = await StartAsync(static json => json.AllowOutOfOrderMetadataProperties = true);

        Assert.Equal((200, answer), await SendAsync(host, operation, body));
        Assert.Equal((200, answer), await SendAsync(host, operation + "Isolated", body));
    }

    [Theory]
    [InlineData("Slow")]
    [InlineData("SlowIsolated")]
    public async Task Text_that_takes_an_expression_too_long_is_refused(string operation)
    {
        await using var host = await StartAsync();
        var (status, text) = await SendAsync(host, $"{operation}?text={new string('a', 60)}!", null);

        Assert.Equal(400, status);
        Assert.Contains("The text took its expression longer than 20 ms", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_passed_deadline_is_named_as_it_was_asked_for()
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Travelling/Count") { Content = new StringContent("1\n", Encoding.UTF8, Ndjson) };
        request.Headers.Add("Weir-Deadline-Ms", "0");
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Contains("within its deadline of 0 ms.", (await response.ReadProblemAsync(504, WeirCodes.DeadlineExceeded)).GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    private static string Isolated(string path) => path.Contains('?', StringComparison.Ordinal) ? path.Replace("?", "Isolated?", StringComparison.Ordinal) : path + "Isolated";

    // GET without a body; otherwise JSON or a form.
    private static async Task<(int Status, string Text)> SendAsync(WeirHost host, string path, string? body)
    {
        using var request = new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, $"/Travelling/{path}");
        if (body is not null)
        {
            request.Content = new StringContent(body, Encoding.UTF8, body[0] is '{' or '[' or '"' ? "application/json" : "application/x-www-form-urlencoded");
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        return ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel));
    }

    // In a culture whose numbers have another form: no value may depend on it.
    private static Task<WeirHost> StartAsync(Action<JsonSerializerOptions>? json = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Options = static options => options.HeartbeatInterval = null,
        Weir = static options => TestPools.StartOnDemand(options),
        Before = static app => app.Use(static (HttpContext http, RequestDelegate next) =>
        {
            var german = (CultureInfo)CultureInfo.InvariantCulture.Clone();
            (german.NumberFormat.NumberDecimalSeparator, german.NumberFormat.NumberGroupSeparator) = (",", ".");
            CultureInfo.CurrentCulture = german;
            return next(http);
        }),
        Services = builder => builder.Services.ConfigureHttpJsonOptions(options => json?.Invoke(options.SerializerOptions)),
    });
}
