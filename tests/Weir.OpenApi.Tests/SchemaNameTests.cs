using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>Types of one simple name have a schema each; all other names are those of ASP.NET Core.</summary>
public sealed class SchemaNameTests
{
    [Fact]
    public async Task Types_of_one_simple_name_have_a_schema_each()
    {
        await using var kitchen = await RunningKitchen.StartAsync(map: static app =>
        {
            app.MapWeir();
            app.MapPost("/then", static (Old.Part part) => part);
            app.MapPost("/now", static (New.Part part) => part);
            app.MapPost("/cook", static (Old.Cook cook) => cook);
            app.MapPost("/envelopes", static (Envelope<Old.Part> then, HttpContext _) => new Envelope<New.Part>(new New.Part(then.Value.A.ToString(System.Globalization.CultureInfo.InvariantCulture), then.Value)));
        });
        var document = await kitchen.DocumentAsync();
        var schemas = document["components"]!["schemas"]!.AsObject();
        Assert.Equal(["a"], Members(schemas["OldPart"]!));
        Assert.Equal(["b", "before"], Members(schemas["NewPart"]!));
        Assert.Contains("#/components/schemas/OldPart", schemas["NewPart"]!.ToJsonString(), StringComparison.Ordinal);
        Assert.Contains("#/components/schemas/OldPart", schemas["EnvelopeOfOldPart"]!.ToJsonString(), StringComparison.Ordinal);
        Assert.Contains("#/components/schemas/NewPart", schemas["EnvelopeOfNewPart"]!.ToJsonString(), StringComparison.Ordinal);

        // One of them is in an operation of Weir only, as a member of a member.
        Assert.Equal(["name", "since", "marks"], Members(schemas["ApplicationCook"]!));
        Assert.Equal(["stars"], Members(schemas["OldCook"]!));
        Assert.Contains("#/components/schemas/ApplicationCook", schemas["Pizza"]!.ToJsonString(), StringComparison.Ordinal);
        Assert.DoesNotContain(schemas, static one => one.Key is "Part" or "Cook" or "EnvelopeOfPart");
        Assert.Contains(schemas, static one => one.Key == "Size");
    }

    [Fact]
    public async Task Types_of_one_name_in_documents_of_their_own_keep_it()
    {
        await using var kitchen = await RunningKitchen.StartAsync(
            static services => services.AddOpenApi("second"),
            static app =>
            {
                app.MapWeir();
                app.MapPost("/then", static (Old.Part part) => part).WithGroupName("v1");
                app.MapPost("/now", static (New.Sole part) => part).WithGroupName("second");
            });
        Assert.Equal(["a"], Members((await kitchen.DocumentAsync())["components"]!["schemas"]!["Part"]!));
        var second = JsonNode.Parse(await kitchen.Client.GetStringAsync("/openapi/second.json", TestContext.Current.CancellationToken))!;
        Assert.NotNull(second["components"]!["schemas"]!["Sole"]);
    }

    [Fact]
    public async Task Names_that_the_application_chooses_win()
    {
        await using var kitchen = await RunningKitchen.StartAsync(
            static services => services.Configure<OpenApiOptions>("v1", static options => options.CreateSchemaReferenceId = static type => OpenApiOptions.CreateDefaultSchemaReferenceId(type) is { } name ? "My" + name : null),
            static app =>
            {
                app.MapWeir();
                app.MapPost("/then", static (Old.Part part) => part);
            });
        Assert.Equal(["a"], Members((await kitchen.DocumentAsync())["components"]!["schemas"]!["MyPart"]!));
    }

    private static IEnumerable<string> Members(JsonNode schema) => schema["properties"]!.AsObject().Select(static one => one.Key);

    public static class Old
    {
        public sealed record Part(int A);

        public sealed record Cook(int Stars);
    }

    public static class New
    {
        public sealed record Part(string B, Old.Part? Before);

        public sealed record Sole(string B);
    }

    public sealed record Envelope<T>(T Value);
}
