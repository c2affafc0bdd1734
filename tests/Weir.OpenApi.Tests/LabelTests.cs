using System.Net;
using System.Text.Json.Nodes;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>Types that parse their own text, and results that may be null: what the document says and what the server does.</summary>
public sealed class LabelTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_parameter_whose_type_parses_its_text_is_text_and_a_result_is_what_it_is_in_json()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var paths = (await kitchen.DocumentAsync())["paths"]!;
        Assert.Equal([("tag", "string"), ("code", "string"), ("more", "string[]")], Parameters(paths["/Labels/Query"]!["get"]!));
        Assert.Equal([("X-Tag", "string"), ("X-More", "string[]")], Parameters(paths["/Labels/Header"]!["post"]!));
        Assert.Equal([("tag", "string")], Parameters(paths["/tags/{tag}"]!["get"]!));
        foreach (var schema in paths["/Labels/Member"]!["post"]!["requestBody"]!["content"]!.AsObject().Select(static one => one.Value!["schema"]!))
        {
            Assert.Equal([("tag", "string"), ("code", "string"), ("more", "string[]"), ("count", "integer")], schema["properties"]!.AsObject().Select(static one => (one.Key, TypeOf(one.Value!))));
        }

        var field = Assert.Single(paths["/Labels/Field"]!["post"]!["requestBody"]!["content"]!.AsObject()).Value!["schema"]!;
        Assert.Equal([("tag", "string"), ("more", "string[]")], field["properties"]!.AsObject().Select(static one => (one.Key, TypeOf(one.Value!))));

        Assert.Equal("#/components/schemas/Tag", Schema(paths["/Labels/Show"]!["get"]!["responses"]!["200"]!, "application/json")["$ref"]!.GetValue<string>());
        Assert.Equal("#/components/schemas/Tag", Schema(paths["/Labels/Whole"]!["post"]!["requestBody"]!, "application/json")["$ref"]!.GetValue<string>());
    }

    [Fact]
    public async Task Items_that_may_be_null_are_described_so()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var paths = (await kitchen.DocumentAsync())["paths"]!;
        foreach (var content in (JsonNode[])[paths["/Labels/Lines"]!["get"]!["responses"]!["200"]!, paths["/Labels/Take"]!["post"]!["requestBody"]!])
        {
            Assert.Equal(["null", "string"], Kinds(Schema(content, "application/json")["items"]!));
            Assert.Equal(["null", "string"], Kinds(Schema(content, "application/x-ndjson")));
        }

        Assert.Equal("[\"a\",null]", await kitchen.Client.GetStringAsync("/Labels/Lines", Cancel));
    }

    [Theory]
    [InlineData("Bytes")]
    [InlineData("Memory")]
    public async Task Bytes_that_may_be_null_are_bytes_or_a_null_of_json(string operation)
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var content = (await kitchen.DocumentAsync())["paths"]![$"/Labels/{operation}"]!["get"]!["responses"]!["200"]!;
        Assert.Equal(["application/octet-stream", "application/json"], content["content"]!.AsObject().Select(static one => one.Key));
        Assert.Equal("null", TypeOf(Schema(content, "application/json")));
        Assert.Null(Schema(content, "application/octet-stream")["oneOf"]);

        using var bytes = await kitchen.Client.GetAsync($"/Labels/{operation}?isNull=false", Cancel);
        Assert.Equal("application/octet-stream", bytes.Content.Headers.ContentType!.MediaType);
        Assert.Equal([1, 2], await bytes.Content.ReadAsByteArrayAsync(Cancel));
        using var none = await kitchen.Client.GetAsync($"/Labels/{operation}?isNull=true", Cancel);
        Assert.Equal(("application/json", "null"), (none.Content.Headers.ContentType!.MediaType, await none.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task A_stream_of_bytes_that_may_be_null_is_bytes_or_nothing()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var responses = (await kitchen.DocumentAsync())["paths"]!["/Labels/Content"]!["get"]!["responses"]!;
        Assert.Equal(["200", "204", "400", "500"], responses.AsObject().Select(static one => one.Key));
        Assert.Null(Schema(responses["200"]!, "application/octet-stream")["oneOf"]);

        Assert.Equal([1, 2], await kitchen.Client.GetByteArrayAsync("/Labels/Content?isNull=false", Cancel));
        using var none = await kitchen.Client.GetAsync("/Labels/Content?isNull=true", Cancel);
        Assert.Equal((HttpStatusCode.NoContent, ""), (none.StatusCode, await none.Content.ReadAsStringAsync(Cancel)));
    }

    [Fact]
    public async Task A_text_that_may_be_null_is_null_in_json_only()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var content = (await kitchen.DocumentAsync())["paths"]!["/Labels/Text"]!["get"]!["responses"]!["200"]!;
        Assert.Equal("string", TypeOf(Schema(content, "text/plain")));
        Assert.Equal(["null", "string"], Kinds(Schema(content, "application/json")));
    }

    private static IEnumerable<(string Name, string Type)> Parameters(JsonNode operation) =>
        operation["parameters"]!.AsArray().Select(static one => (one!["name"]!.GetValue<string>(), TypeOf(one["schema"]!)));

    private static JsonNode Schema(JsonNode of, string mediaType) => of["content"]![mediaType]!["schema"]!;

    private static string TypeOf(JsonNode schema) => schema["type"]?.ToString() switch
    {
        "array" => TypeOf(schema["items"]!) + "[]",
        { } type => type,
        null => schema.ToJsonString(),
    };

    private static IEnumerable<string> Kinds(JsonNode schema) => schema["oneOf"]!.AsArray().Select(static one => TypeOf(one!));
}
