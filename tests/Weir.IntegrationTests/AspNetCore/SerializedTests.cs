using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Types that only the serializer reads and writes, over HTTP, inline and in a worker.</summary>
public sealed class SerializedTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Echo", """{"a":1,"A":2}""", """{"a":1,"A":2}""")]
    [InlineData("EchoOrNull?plus=1", """{"a":1}""", """{"a":2}""")]
    [InlineData("EchoIsolated?plus=1", """{"a":1}""", """{"a":2}""")]
    [InlineData("EchoIsolated?plus=1", "null", "null")]
    [InlineData("Pack", """{"name":"n","SIZES":{"ü":1},"home":"http://x/y"}""", """{"name":"n","sizes":{"ü":1},"home":"http://x/y","colours":["Red"]}""")]
    [InlineData("PackIsolated", """{"name":"n","sizes":{},"colours":["dark-blue",0,"red"]}""", """{"name":"n","sizes":{},"home":null,"colours":["dark-blue","Red"]}""")]
    [InlineData("Shapes", """[{"$type":"circle","radius":1.5},{"$type":"square","side":2,"at":"12:00"}]""", """[{"$type":"circle","radius":1.5},{"$type":"square","side":2,"at":"12:00:00"}]""")]
    [InlineData("Halve", """{"value":4}""", """{"more":null,"value":4}""")]
    [InlineData(
        "Open",
        """{"version":"1.2","half":1.5,"large":170141183460469231731687303715884105727,"element":[null],"node":{"x":1},"any":"y","array":[1,2],"byColour":{"dark-blue":"0190163d-8694-739b-aea5-966c26f8ad91"},"shape":{"$type":"circle","radius":1},"number":"5","doubled":4,"backwards":"abc","unheard":true}""",
        """{"version":"1.2","half":1.5,"large":170141183460469231731687303715884105727,"element":[null],"node":{"x":1},"any":"y","array":[1,2],"byColour":{"dark-blue":"0190163d-8694-739b-aea5-966c26f8ad91"},"shape":{"$type":"circle","radius":1},"number":"5","hidden":8,"backwards":"abc","unheard":true}""")]
    public async Task A_value_is_read_and_written(string operation, string body, string answer)
    {
        await using var host = await StartAsync();
        using var response = await PostAsync(host, operation, body);
        var text = await response.Content.ReadAsStringAsync(Cancel);

        Assert.Equal(200, (int)response.StatusCode);
        Assert.Equal("application/json", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal(answer, text);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Settings_for_which_the_serializer_replaces_generated_code_are_named_at_the_start(bool changes)
    {
        await using var host = await StartAsync(changes ? Change : static _ => { });

        Assert.Equal(
            changes ? ["PropertyNamingPolicy, Converters, DefaultIgnoreCondition, WriteIndented"] : [],
            host.Log.Lines.Where(static line => line.Event == 4231).Select(static line => line.Text.Split("sets ")[1].Split(';')[0]));
    }

    [Theory]
    [InlineData("Issue", """{"ticket_number":1}""", "{\n  \"ticket_number\": 1,\n  \"colour\": \"dark-blue\"\n}")]
    [InlineData("IssueIsolated", """{"ticket_number":1,"colour":"red","first_note":"x"}""", "{\n  \"ticket_number\": 1,\n  \"colour\": \"RED\",\n  \"first_note\": \"x\"\n}")]
    [InlineData("PackIsolated", """{"name":"n","sizes":{},"colours":["RED"]}""", "{\n  \"name\": \"n\",\n  \"sizes\": {},\n  \"colours\": [\n    \"RED\"\n  ]\n}")]
    public async Task Settings_of_the_application_hold_wherever_the_operation_runs(string operation, string body, string answer)
    {
        await using var host = await StartAsync(Change);
        using var response = await PostAsync(host, operation, body);

        Assert.Equal(answer, (await response.Content.ReadAsStringAsync(Cancel)).ReplaceLineEndings("\n"));
    }

    [Fact]
    public async Task Settings_of_the_application_hold_for_the_items_of_an_isolated_stream()
    {
        await using var host = await StartAsync(Change);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Serialized/TicketsIsolated") { Content = new StringContent("{\"ticket_number\":1}\n{\"ticket_number\":2,\"colour\":\"RED\"}\n", Encoding.UTF8, "application/x-ndjson") };
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/x-ndjson"));
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Equal("{\"ticket_number\":1,\"colour\":\"dark-blue\"}\n{\"ticket_number\":2,\"colour\":\"RED\"}\n", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task A_type_that_a_setting_leaves_without_metadata_stops_the_start()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(static json =>
        {
            json.PropertyNamingPolicy = null;
            json.TypeInfoResolver = SerializedJson.Default;
        }));

        Assert.Contains("over HTTP, where ConfigureHttpJsonOptions sets PropertyNamingPolicy, so that generated code is not used. Write [assembly: WeirJson(typeof(AppJson))]", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("WEIR3020.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Echo", """{"a":"1"}""", "sizes.a: invalid, a whole number from -2147483648 to 2147483647")]
    [InlineData("Echo", """{"a":1,"a":2}""", "sizes.a: duplicate, one member of this name")]
    [InlineData("Echo", "null", "sizes: null, a JSON value")]
    [InlineData("Echo", """{"a":1""", "sizes: malformed, JSON of at most 64 levels; the error is at line 1, byte 7")]
    [InlineData("Echo", "[]", "sizes: invalid, a value that its type accepts")]
    [InlineData("EchoOrNull?plus=x", """{"a b":{}}""", "plus: invalid, a whole number from -2147483648 to 2147483647|sizes.a b: invalid, a whole number from -2147483648 to 2147483647")]
    [InlineData("Two", """{"sizes":{"a":"x"},"other":{"b.c":[1.5]},"plus":"x"}""", "sizes.a: invalid, a whole number from -2147483648 to 2147483647|other.b.c[0]: invalid, a whole number from -2147483648 to 2147483647|plus: invalid, a whole number from -2147483648 to 2147483647")]
    [InlineData("EchoIsolated", """{"a":1.5}""", "sizes.a: invalid, a whole number from -2147483648 to 2147483647|plus: missing, a whole number from -2147483648 to 2147483647")]
    [InlineData("Pack", """{"sizes":{}}""", "parcel.name: missing, a value")]
    [InlineData("Pack", """{"name":null,"sizes":{}}""", "parcel.name: null, a value")]
    [InlineData("Pack", """{"name":"n","sizes":{},"colours":["Red","Green"]}""", "parcel.colours[1]: invalid, Red or dark-blue")]
    [InlineData("Pack", """{"name":"n","sizes":{},"Name":"m"}""", "parcel.name: duplicate, one member of this name")]
    [InlineData("Halve", """{"value":3}""", "even: invalid, a value that its type accepts")]
    [InlineData("Open", """{"large":1.5}""", "chest.large: invalid, a value that its type accepts")]
    [InlineData("Open", """{"byColour":{"blue":"0190163d-8694-739b-aea5-966c26f8ad91"}}""", "chest.byColour.blue: invalid, Red or dark-blue")]
    [InlineData("Shapes", """[{"$type":"circle","radius":1},{"$type":"oval"}]""", "shapes[1]: invalid, a value that its type accepts")]
    public async Task What_does_not_fit_is_a_problem_with_the_path(string operation, string body, string errors)
    {
        await using var host = await StartAsync();
        using var response = await PostAsync(host, operation, body);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));

        Assert.Equal(400, (int)response.StatusCode);
        Assert.Equal("WEIR2001", problem.RootElement.GetProperty("code").GetString());
        Assert.Equal(
            errors.Split('|'),
            problem.RootElement.GetProperty("bindingErrors").EnumerateArray().Select(static one => $"{one.GetProperty("name")}: {one.GetProperty("reason")}, {one.GetProperty("expected")}"));
    }

    [Theory]
    [InlineData("Items", "{\"a\":1}\n{\"b\":2}\n")]
    [InlineData("ItemsIsolated", "{\"a\":[1]}\n{\"b\":[2]}\n")]
    public async Task Items_are_read_and_written(string operation, string answer)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/Serialized/{operation}") { Content = new StringContent("{\"a\":1}\n{\"b\":2}\n", Encoding.UTF8, "application/x-ndjson") };
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/x-ndjson"));
        using var response = await host.Client.SendAsync(request, Cancel);

        Assert.Equal(answer, await response.Content.ReadAsStringAsync(Cancel));
    }

    private static Task<HttpResponseMessage> PostAsync(WeirHost host, string operation, string body) =>
        host.Client.PostAsync($"/Serialized/{operation}", new StringContent(body, Encoding.UTF8, "application/json"), Cancel);

    private static void Change(JsonSerializerOptions json)
    {
        json.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
        json.Converters.Add(new JsonStringEnumConverter(JsonNamingPolicy.SnakeCaseUpper));
        json.DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull;
        json.WriteIndented = true;
    }

    private static Task<WeirHost> StartAsync(Action<JsonSerializerOptions>? json = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Options = static options => options.HeartbeatInterval = null,
        Weir = static options => TestPools.StartOnDemand(options),
        Services = builder => builder.Services.ConfigureHttpJsonOptions(options => json?.Invoke(options.SerializerOptions)),
    });
}
