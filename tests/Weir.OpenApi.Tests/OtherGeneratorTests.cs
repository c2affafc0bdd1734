using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Mvc.ApiExplorer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.OpenApi;
using NSwag.Generation.AspNetCore;
using Swashbuckle.AspNetCore.Swagger;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>Generators other than Microsoft's see the same operations.</summary>
public sealed class OtherGeneratorTests
{
    [Fact]
    public async Task Swashbuckle_sees_the_same_operations()
    {
        await using var kitchen = await RunningKitchen.StartAsync(static services => services.AddSwaggerGen());
        var document = kitchen.Services.GetRequiredService<ISwaggerProvider>().GetSwagger("v1");
        var text = await document.SerializeAsJsonAsync(OpenApiSpecVersion.OpenApi3_1, TestContext.Current.CancellationToken);
        var operations = JsonNode.Parse(text)!;
        Assert.Equal(Operations.Expected, Operations.Of(operations));
        var order = operations["paths"]!["/Kitchen/Order"]!["post"]!["requestBody"]!["content"]!["application/json"]!["schema"]!;
        Assert.Equal(["factor", "fast", "text", "x", "y"], order["properties"]!.AsObject().Select(static one => one.Key).Order());
        Assert.Equal("#/components/schemas/Pizza", operations["paths"]!["/Kitchen/Create"]!["post"]!["requestBody"]!["content"]!["application/json"]!["schema"]!["$ref"]!.GetValue<string>());
    }

    [Fact]
    public async Task NSwag_sees_the_same_operations()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var generator = new AspNetCoreOpenApiDocumentGenerator(new AspNetCoreOpenApiDocumentGeneratorSettings { UseRouteNameAsOperationId = true, SchemaSettings = new NJsonSchema.Generation.SystemTextJsonSchemaGeneratorSettings { SchemaType = NJsonSchema.SchemaType.OpenApi3 } });
        var document = await generator.GenerateAsync(kitchen.Services.GetRequiredService<IApiDescriptionGroupCollectionProvider>().ApiDescriptionGroups);
        Assert.Equal(Operations.Expected, Operations.Of(JsonNode.Parse(document.ToJson())!));
    }
}
