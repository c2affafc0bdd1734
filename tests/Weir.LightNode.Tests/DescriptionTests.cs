using System.Text.Json.Nodes;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Services under several prefixes, and what the application says of them: the catalog, and a document of OpenAPI.</summary>
public abstract class DescriptionTests(DescribedApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("/v1/{0}/Ping", 200)]
    [InlineData("/v2/{0}/ping/", 200)]
    [InlineData("/v1/{0}/Pin", 404)]
    [InlineData("/{0}/Ping", 404)]
    public async Task A_prefix_is_a_version_of_the_services(string path, int status)
    {
        using var response = await Application.Client.GetAsync(new Uri(Application.Address, string.Format(null, path, Twin("Hello"))), TestContext.Current.CancellationToken);
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Fact]
    public async Task The_catalog_lists_operations_with_verbs_parameters_and_results()
    {
        var services = JsonNode.Parse(await Application.Client.GetStringAsync(new Uri(Application.Address, "/$catalog"), TestContext.Current.CancellationToken))!["services"]!.AsArray();
        var service = services.Single(one => Value(one!["name"]) == Twin("TestContract"))!;
        var add = service["operations"]!.AsArray().Single(static one => Value(one!["name"]) == "AddWithDefault")!;
        Assert.Equal((IsIsolated ? "isolated" : "inline", IsIsolated ? "lightnode" : null), (Value(add["placement"]), add["pool"] is { } pool ? Value(pool) : null));
        Assert.Equal(("value", "int"), (Value(add["result"]!["kind"]), Value(add["result"]!["type"])));
        var path = $"/{Twin("TestContract")}/AddWithDefault";
        Assert.Equal(
            [$"GET /v1{path}", $"GET /v2{path}", $"POST /v1{path}", $"POST /v2{path}"],
            add["routes"]!.AsArray().Select(static one => $"{Value(one!["verb"])} {Value(one["path"])}").Order(StringComparer.Ordinal));
        Assert.Equal(
            """[{"name":"x","in":"query","type":"int","required":true},{"name":"y","in":"query","type":"int","required":true},{"name":"z","in":"query","type":"int","required":false,"default":"300"}]""",
            add["routes"]!.AsArray().First(static one => Value(one!["verb"]) == "GET")!["parameters"]!.ToJsonString());
        Assert.DoesNotContain(services, static one => Value(one!["name"]).Contains("InternalOnly", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_document_is_OpenAPI_3_1_and_has_an_operation_for_each_verb()
    {
        var document = JsonNode.Parse(await application.Document)!;
        Assert.StartsWith("3.1", Value(document["openapi"]), StringComparison.Ordinal);
        Assert.Equal(["get", "post"], Verbs("Hello/Say"));
        Assert.Equal(["delete", "get"], Verbs("VerbContract/Own"));
        Assert.Equal(["put"], Verbs("VerbContract/PutOnly"));

        IEnumerable<string> Verbs(string path) => document["paths"]![$"/v1/{Twin(path)}"]!.AsObject().Select(static one => one.Key).Order(StringComparer.Ordinal);
    }

    [Theory]
    [InlineData("TestContract/AddWithDefault", "x:required y:required z")]
    [InlineData("ParameterContract/Nullable", "x")] // LightNode calls a nullable parameter required.
    [InlineData("ParameterContract/StringNullDefaultValue", "x")]
    [InlineData("ArrayContract/Sum", "xs")]
    [InlineData("EnumContract/Enum", "fruit:required")]
    public async Task The_document_says_which_parameters_are_required(string operation, string parameters)
    {
        var document = JsonNode.Parse(await application.Document)!;
        Assert.Equal(parameters, string.Join(' ', Operation(document, operation)["parameters"]!.AsArray().Select(static one =>
            Value(one!["name"]) + (one["required"]?.GetValue<bool>() == true ? ":required" : ""))));
    }

    [Fact]
    public async Task The_document_has_schemas_of_results_errors_arrays_and_enums() // LightNode's has none of results.
    {
        var document = JsonNode.Parse(await application.Document)!;
        var add = Operation(document, "TestContract/Add");
        Assert.Equal("integer", Value(add["responses"]!["200"]!["content"]!["application/json"]!["schema"]!["type"]));
        Assert.NotNull(add["responses"]!["400"]!["content"]!["application/problem+json"]);
        Assert.Equal("array", Value(Operation(document, "ArrayContract/Sum")["parameters"]![0]!["schema"]!["type"]));
        var reference = Value(Operation(document, "EnumContract/MyEnum")["parameters"]![0]!["schema"]!["$ref"]);
        var schema = document["components"]!["schemas"]![reference.Split('/')[^1]]!;
        Assert.Equal(["A", "B", "C", "D"], schema["enum"]!.AsArray().Select(Value));
    }

    private static string Value(JsonNode? node) => node!.GetValue<string>();

    private JsonNode Operation(JsonNode document, string path) => document["paths"]![$"/v1/{Twin(path)}"]!["get"]!;
}

public sealed class InlineDescriptionTests(DescribedApplication application) : DescriptionTests(application, Placement.Inline);

public sealed class IsolatedDescriptionTests(DescribedApplication application) : DescriptionTests(application, Placement.Isolated);
