using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>What the documents of Microsoft.AspNetCore.OpenApi say about operations.</summary>
public sealed class DocumentTests
{
    [Fact]
    public async Task The_document_is_of_version_3_1_and_has_each_operation_once_for_each_verb()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        Assert.StartsWith("3.1", document["openapi"]!.GetValue<string>(), StringComparison.Ordinal);
        Assert.Equal(Operations.Expected, Operations.Of(document));
    }

    [Fact]
    public async Task Summaries_remarks_parameters_and_results_come_from_documentation_comments()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var find = (await kitchen.DocumentAsync())["paths"]!["/pizzas/{id}"]!["get"]!;
        Assert.Equal("Finds a Pizza.", find["summary"]!.GetValue<string>());
        Assert.Equal("Reads only.", find["description"]!.GetValue<string>());
        Assert.Equal("The number of the pizza.", Parameter(find, "id")["description"]!.GetValue<string>());
        Assert.Equal("The pizza.", find["responses"]!["200"]!["description"]!.GetValue<string>());
        Assert.Equal(["Kitchen"], find["tags"]!.AsArray().Select(static one => one!.GetValue<string>()));
    }

    [Fact]
    public async Task Schemas_follow_the_JSON_settings_of_the_application()
    {
        await using var kitchen = await RunningKitchen.StartAsync(static services => services.ConfigureHttpJsonOptions(static json =>
        {
            json.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseUpper;
            json.SerializerOptions.Converters.Add(new JsonStringEnumConverter<Size>(JsonNamingPolicy.SnakeCaseUpper));
            json.SerializerOptions.NumberHandling = JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.AllowNamedFloatingPointLiterals;
        }));
        var schemas = (await kitchen.DocumentAsync())["components"]!["schemas"]!;

        Assert.Contains("SLICES", schemas["Pizza"]!["properties"]!.AsObject().Select(static one => one.Key));
        Assert.Equal(["SMALL", "very-large", "TINY"], schemas["Size"]!["enum"]!.AsArray().Select(static one => one!.GetValue<string>()));
        Assert.Equal(["integer", "null", "string"], schemas["Pizza"]!["properties"]!["SLICES"]!["type"]!.AsArray().Select(static one => one!.GetValue<string>()).Order());

        // What no converter of the application writes is written by Weir.
        Assert.StartsWith("One of Cheese, Ham", schemas["Toppings"]!["description"]!.GetValue<string>(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Parameters_say_where_they_are_whether_they_are_required_and_what_they_default_to()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        var find = document["paths"]!["/pizzas/{id}"]!["get"]!;
        Assert.Equal(("path", true, null), Facts(document, Parameter(find, "id")));
        Assert.Equal(("query", false, "\"Small\""), Facts(document, Parameter(find, "size")));
        Assert.Equal(("query", false, null), Facts(document, Parameter(find, "note")));
        Assert.Null(find["requestBody"]);

        var order = document["paths"]!["/Kitchen/Order"]!["post"]!;
        Assert.Null(order["parameters"]);
        Assert.Equal(["application/json", "application/x-www-form-urlencoded"], order["requestBody"]!["content"]!.AsObject().Select(static one => one.Key));
        var members = order["requestBody"]!["content"]!["application/json"]!["schema"]!;
        Assert.Equal(["x", "y"], members["required"]!.AsArray().Select(static one => one!.GetValue<string>()));
        Assert.Equal("integer", members["properties"]!["x"]!["type"]!.GetValue<string>());
        Assert.Equal("1.5", members["properties"]!["factor"]!["default"]!.ToJsonString());
        Assert.Equal("true", members["properties"]!["fast"]!["default"]!.ToJsonString());
        Assert.Equal("Whether it hurries.", members["properties"]!["fast"]!["description"]!.GetValue<string>());
    }

    [Fact]
    public async Task A_typed_result_with_another_status_is_the_only_success()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var add = (await kitchen.DocumentAsync())["paths"]!["/pizzas"]!["post"]!;
        Assert.Equal(["201", "400", "500"], add["responses"]!.AsObject().Select(static one => one.Key));
        Assert.NotNull(add["responses"]!["201"]!["content"]!["application/json"]!["schema"]);
    }

    [Fact]
    public async Task A_single_object_is_the_body_and_several_are_its_members()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        var paths = document["paths"]!;
        Assert.Equal("#/components/schemas/Pizza", Content(paths["/Kitchen/Create"]!["post"]!["requestBody"]!, "application/json")["$ref"]!.GetValue<string>());
        var members = Content(paths["/Kitchen/Total"]!["post"]!["requestBody"]!, "application/json");
        Assert.Equal("#/components/schemas/Pizza", members["properties"]!["first"]!["$ref"]!.GetValue<string>());
        Assert.Equal("KitchenTotalArguments", members["title"]!.GetValue<string>());
        Assert.Equal("binary", Resolve(document, Content(paths["/Kitchen/Upload"]!["post"]!["requestBody"]!, "application/octet-stream"))["format"]!.GetValue<string>());
        Assert.Equal("query", Parameter(paths["/Kitchen/Upload"]!["post"]!, "name")["in"]!.GetValue<string>());
        Assert.Null(paths["/Kitchen/Remove"]!["delete"]!["requestBody"]);

        // What an attribute chooses: a header, the query, a form.
        var labelled = paths["/Kitchen/Labelled"]!["post"]!;
        Assert.Equal(("header", true, null), Facts(document, Parameter(labelled, "X-Label")));
        Assert.Equal(("query", false, null), Facts(document, Parameter(labelled, "n")));
        Assert.Equal("array", Parameter(labelled, "n")["schema"]!["type"]!.GetValue<string>());
        Assert.Equal(["count"], Content(labelled["requestBody"]!, "application/json")["properties"]!.AsObject().Select(static one => one.Key));
        Assert.Equal(["application/x-www-form-urlencoded"], paths["/Kitchen/Posted"]!["post"]!["requestBody"]!["content"]!.AsObject().Select(static one => one.Key));
    }

    [Fact]
    public async Task Files_are_binary_members_of_a_multipart_form()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        var show = document["paths"]!["/Kitchen/Show"]!["post"]!;
        Assert.Null(show["parameters"]);
        Assert.True(show["requestBody"]!["required"]!.GetValue<bool>());
        var form = Assert.Single(show["requestBody"]!["content"]!.AsObject());
        Assert.Equal("multipart/form-data", form.Key);
        var members = form.Value!["schema"]!;
        Assert.Equal(["others", "photo", "title"], members["properties"]!.AsObject().Select(static one => one.Key).Order());
        Assert.Equal(["photo"], members["required"]!.AsArray().Select(static one => one!.GetValue<string>()));
        Assert.Equal(("string", "binary"), TypeOf(members["properties"]!["photo"]!));
        Assert.Equal("What it looks like.", members["properties"]!["photo"]!["description"]!.GetValue<string>());
        var others = Resolve(document, members["properties"]!["others"]!);
        Assert.Equal(("array", ("string", "binary")), (others["type"]!.GetValue<string>(), TypeOf(others["items"]!)));
        Assert.Equal("\"none\"", members["properties"]!["title"]!["default"]!.ToJsonString());

        Assert.NotEqual(true, document["paths"]!["/Kitchen/Menu"]!["post"]!["requestBody"]!["required"]?.GetValue<bool>());

        // A list of files may be empty, but only a form says so.
        var scan = document["paths"]!["/Kitchen/Scan"]!["post"]!["requestBody"]!;
        Assert.True(scan["required"]!.GetValue<bool>());
        Assert.Null(scan["content"]!["multipart/form-data"]!["schema"]!["required"]);

        (string, string?) TypeOf(JsonNode schema) => (Resolve(document, schema)["type"]!.GetValue<string>(), Resolve(document, schema)["format"]?.GetValue<string>());
    }

    [Theory]
    [InlineData("/Scans/Convert", "post", "image/webp")]
    [InlineData("/Scans/Print", "post", "application/pdf")]
    [InlineData("/Scans/Thumbnail", "get", "image/png")]
    [InlineData("/Scans/Raw", "get", "application/octet-stream")]
    public async Task Content_has_the_media_type_that_its_operation_declares(string path, string verb, string mediaType)
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        var content = document["paths"]![path]![verb]!["responses"]!["200"]!["content"]!.AsObject();
        Assert.Equal(path == "/Scans/Thumbnail" ? [mediaType, "application/json"] : [mediaType], content.Select(static one => one.Key));
        var schema = Resolve(document, content[mediaType]!["schema"]!);
        Assert.Equal(("string", "binary"), (schema["type"]!.GetValue<string>(), schema["format"]!.GetValue<string>()));

        // The server says the same.
        using var form = new MultipartFormDataContent { { new StringContent("a"), "title" }, { new ByteArrayContent([1, 2]), "pages", "1.tif" } };
        using var body = new ByteArrayContent([1, 2]) { Headers = { ContentType = new("application/octet-stream") } };
        using var request = new HttpRequestMessage(new HttpMethod(verb.ToUpperInvariant()), path) { Content = path == "/Scans/Print" ? form : path == "/Scans/Convert" ? body : null };
        using var response = await kitchen.Client.SendAsync(request, TestContext.Current.CancellationToken);
        Assert.Equal(mediaType, response.Content.Headers.ContentType?.MediaType);
    }

    [Fact]
    public async Task A_group_of_parameters_is_described_by_its_members()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        var look = document["paths"]!["/Kitchen/Look"]!["get"]!;
        Assert.Equal(["Size", "X-Page", "most", "q"], look["parameters"]!.AsArray().Select(static one => one!["name"]!.GetValue<string>()).Order(StringComparer.Ordinal));
        Assert.Equal(("query", true, null), Facts(document, Parameter(look, "q")));
        Assert.Equal(("header", true, null), Facts(document, Parameter(look, "X-Page")));
        Assert.Equal(("query", false, "\"Small\""), Facts(document, Parameter(look, "Size")));
        Assert.Equal(("query", false, "10"), Facts(document, Parameter(look, "most")));
        Assert.Null(look["requestBody"]);
    }

    [Fact]
    public async Task Enums_are_the_names_that_weir_writes_and_numbers_are_not_text()
    {
        await using var kitchen = await RunningKitchen.StartAsync(map: static app =>
        {
            app.MapWeir();
            app.MapGet("/foreign", static () => Foreign.Second);
        });
        var document = await kitchen.DocumentAsync();
        var pizza = document["components"]!["schemas"]!["Pizza"]!["properties"]!;
        Assert.Equal(["Small", "very-large", "tiny-one"], Resolve(document, pizza["size"]!)["enum"]!.AsArray().Select(static one => one!.GetValue<string>()));
        Assert.Equal("string", Resolve(document, pizza["toppings"]!)["type"]!.GetValue<string>());
        Assert.Contains("Cheese, Ham", Resolve(document, pizza["toppings"]!)["description"]!.GetValue<string>(), StringComparison.Ordinal);
        Assert.Equal("number", pizza["price"]!["type"]!.GetValue<string>());

        // An enum of the application's other endpoints is what its options say: a number.
        var foreign = Resolve(document, Content(document["paths"]!["/foreign"]!["get"]!["responses"]!["200"]!, "application/json"));
        Assert.Equal("integer", foreign["type"]!.GetValue<string>());
    }

    [Fact]
    public async Task A_stream_is_an_array_in_json_and_its_item_in_lines_and_events()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var paths = (await kitchen.DocumentAsync())["paths"]!;
        var all = paths["/Kitchen/All"]!["get"]!["responses"]!["200"]!;
        Assert.Equal(["application/json", "application/x-ndjson", "text/event-stream"], all["content"]!.AsObject().Select(static one => one.Key));
        Assert.Equal("array", Content(all, "application/json")["type"]!.GetValue<string>());
        Assert.Equal("#/components/schemas/Pizza", Content(all, "application/x-ndjson")["$ref"]!.GetValue<string>());
        Assert.Equal("buffer", paths["/Kitchen/All"]!["get"]!["x-weir-resumable"]!.GetValue<string>());
        Assert.True(all["content"]!["application/x-ndjson"]!["x-weir-stream"]!.GetValue<bool>());
        Assert.True(all["content"]!["text/event-stream"]!["x-weir-stream"]!.GetValue<bool>());

        var sum = paths["/Kitchen/Sum"]!["post"]!["requestBody"]!;
        Assert.Equal("array", Content(sum, "application/json")["type"]!.GetValue<string>());
        Assert.Equal("integer", Content(sum, "application/x-ndjson")["type"]!.GetValue<string>());
        Assert.True(sum["content"]!["application/x-ndjson"]!["x-weir-stream"]!.GetValue<bool>());
    }

    [Fact]
    public async Task Responses_are_the_result_and_the_problems_that_can_happen()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var paths = (await kitchen.DocumentAsync())["paths"]!;
        Assert.Equal(["200", "400", "404", "500"], Statuses(paths["/pizzas/{id}"]!["get"]!));
        Assert.Equal(["204", "400", "500"], Statuses(paths["/Kitchen/Forget"]!["post"]!));
        Assert.Equal(["200", "401", "403", "500"], Statuses(paths["/Kitchen/Secret"]!["get"]!));
        Assert.Equal(["200", "400", "500", "502", "503"], Statuses(paths["/Kitchen/Bake"]!["post"]!));
        Assert.Equal("#/components/schemas/ProblemDetails", Content(paths["/pizzas/{id}"]!["get"]!["responses"]!["404"]!, "application/problem+json")["$ref"]!.GetValue<string>());
        Assert.Equal("PizzaNotFoundException", paths["/pizzas/{id}"]!["get"]!["responses"]!["404"]!["description"]!.GetValue<string>());
        Assert.Equal(["text/plain", "application/json"], paths["/Kitchen/Describe"]!["post"]!["responses"]!["200"]!["content"]!.AsObject().Select(static one => one.Key));
        Assert.Equal(["application/octet-stream"], paths["/Kitchen/Download"]!["get"]!["responses"]!["200"]!["content"]!.AsObject().Select(static one => one.Key));
        Assert.Equal("null", Content(paths["/Kitchen/Maybe"]!["get"]!["responses"]!["200"]!, "application/json")["oneOf"]![0]!["type"]!.GetValue<string>());
    }

    [Fact]
    public async Task Groups_prefixes_and_hidden_endpoints_are_heeded_and_every_id_is_given_once()
    {
        await using var kitchen = await RunningKitchen.StartAsync(map: static app =>
        {
            app.MapGroup("/{tenant}").MapWeirService<Kitchen>("/v1");
            app.MapWeirService<Kitchen>("/v2").WithMetadata(new ExcludeFromDescriptionAttribute());
            app.MapWeirService<Kitchen>("/v3");
        });
        var document = await kitchen.DocumentAsync();
        var operations = Operations.Of(document);
        Assert.All(operations, static one => Assert.Matches("^[A-Z]+ /({tenant}/v1|v3)/", one.Route));
        Assert.Equal(operations.Count, operations.Select(static one => one.Id).Distinct().Count());
        Assert.Equal("path", Parameter(document["paths"]!["/{tenant}/v1/Kitchen/Bake"]!["post"]!, "tenant")["in"]!.GetValue<string>());
    }

    private static JsonNode Content(JsonNode of, string mediaType) => of["content"]![mediaType]!["schema"]!;

    private static JsonNode Parameter(JsonNode operation, string name) => operation["parameters"]!.AsArray().Single(one => one!["name"]!.GetValue<string>() == name)!;

    private static IEnumerable<string> Statuses(JsonNode operation) => operation["responses"]!.AsObject().Select(static one => one.Key);

    private static (string In, bool IsRequired, string? Default) Facts(JsonNode document, JsonNode parameter) =>
        (parameter["in"]!.GetValue<string>(), parameter["required"]?.GetValue<bool>() ?? false, parameter["schema"]!["default"]?.ToJsonString() ?? Resolve(document, parameter["schema"]!)["default"]?.ToJsonString());

    private static JsonNode Resolve(JsonNode document, JsonNode schema) =>
        schema["$ref"] is { } reference ? document["components"]!["schemas"]![reference.GetValue<string>().Split('/')[^1]]! : schema;
}
