using System.Net;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>The catalog of the operations, and who may read it.</summary>
public sealed class CatalogTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_catalog_lists_services_operations_routes_parameters_and_results()
    {
        await using var kitchen = await RunningKitchen.StartAsync(map: static app =>
        {
            app.MapWeir("/v1");
            app.MapWeirCatalog();
        });
        var catalog = JsonNode.Parse(await kitchen.Client.GetStringAsync("/$catalog", Cancel))!;
        Assert.Equal(1, catalog["catalog"]!.GetValue<int>());
        var service = catalog["services"]!.AsArray().Single(static one => one!["name"]!.GetValue<string>() == "Kitchen")!;
        Assert.Equal("Makes pizzas.", service["summary"]!.GetValue<string>());
        var find = service["operations"]!.AsArray().Single(static one => one!["name"]!.GetValue<string>() == "Find")!;
        Assert.Matches("^[0-9a-f]{16}$", find["signature"]!.GetValue<string>());
        Assert.Equal("""{"kind":"value","type":"Pizza","nullable":false,"mediaTypes":["application/json"]}""", find["result"]!.ToJsonString());
        Assert.Equal(
            """[{"verb":"GET","path":"/v1/pizzas/{id}","parameters":[{"name":"id","in":"path","type":"int","required":true,"summary":"The number of the pizza."},{"name":"size","in":"query","type":"Size","required":false,"default":"Small"},{"name":"note","in":"query","type":"string?","required":false}],"bodyMediaTypes":[]}]""",
            find["routes"]!.ToJsonString());
        var bake = service["operations"]!.AsArray().Single(static one => one!["name"]!.GetValue<string>() == "Bake")!;
        Assert.Equal("baking", bake["pool"]!.GetValue<string>());
        Assert.Equal("member", bake["routes"]![0]!["parameters"]![0]!["in"]!.GetValue<string>());
        var all = service["operations"]!.AsArray().Single(static one => one!["name"]!.GetValue<string>() == "All")!;
        Assert.Equal("buffer", all["resumable"]!.GetValue<string>());
        Assert.Null(bake["resumable"]);
        Assert.DoesNotContain("catalog", (await kitchen.DocumentAsync())["paths"]!.AsObject().Select(static one => one.Key).Aggregate(string.Concat), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task The_catalog_has_the_contract_of_each_service_without_hidden_operations()
    {
        await using var kitchen = await RunningKitchen.StartAsync(map: static app =>
        {
            app.MapWeir();
            app.MapWeirCatalog();
        });
        var catalog = JsonNode.Parse(await kitchen.Client.GetStringAsync("/$catalog", Cancel))!;
        foreach (var service in catalog["services"]!.AsArray())
        {
            Assert.Equal(
                service!["operations"]!.AsArray().Select(static one => (string)one!["name"]!).Order(StringComparer.Ordinal),
                service["contract"]!["operations"]!.AsArray().Select(static one => (string)one!["name"]!));
        }

        var contract = catalog["services"]!.AsArray().Single(static one => (string)one!["name"]! == "Kitchen")!["contract"]!;
        var find = contract["operations"]!.AsArray().Single(static one => (string)one!["name"]! == "Find")!;
        Assert.Equal("""[{"verbs":["GET"],"path":"/pizzas/{id:int}"}]""", find["routes"]!.ToJsonString());
        Assert.Equal(
            """[{"name":"id","in":"value","type":"int32"},{"name":"size","in":"value","type":"Weir.OpenApi.Tests.Application.Size","optional":true,"default":"(global::Weir.OpenApi.Tests.Application.Size)(0)"},{"name":"note","in":"value","type":"string?","optional":true}]""",
            find["parameters"]!.ToJsonString());
        Assert.Equal("""{"enum":["Small","very-large","tiny-one"]}""", contract["types"]!["Weir.OpenApi.Tests.Application.Size"]!.ToJsonString());
    }

    [Fact]
    public async Task Outside_of_development_the_application_starts_only_with_a_policy_or_AllowAnonymous()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(static () => RunningKitchen.StartAsync(map: static app => app.MapWeirCatalog(), environment: "Production"));
        Assert.Contains("MapWeirCatalog serves the catalog of all operations at 'Weir: /$catalog' to anyone, and the environment is 'Production'", error.Message, StringComparison.Ordinal);
        Assert.Contains("WEIR3023", error.Message, StringComparison.Ordinal);

        await using var guarded = await RunningKitchen.StartAsync(map: static app => app.MapWeirCatalog("/tools/catalog").RequireAuthorization(), environment: "Production");
        Assert.Equal(HttpStatusCode.Unauthorized, (await guarded.Client.GetAsync("/tools/catalog", Cancel)).StatusCode);
        await using var open = await RunningKitchen.StartAsync(map: static app => app.MapWeirCatalog().AllowAnonymous(), environment: "Production");
        Assert.Equal(HttpStatusCode.OK, (await open.Client.GetAsync("/$catalog", Cancel)).StatusCode);
    }
}
