using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>What the documents of Microsoft.AspNetCore.OpenApi say about requests that can become jobs.</summary>
public sealed class JobTests
{
    [Fact]
    public async Task An_operation_that_can_become_a_job_has_202_with_its_headers_and_the_schema_of_the_job()
    {
        await using var kitchen = await StartAsync();
        var document = await kitchen.DocumentAsync();
        var bake = document["paths"]!["/Kitchen/Bake"]!["post"]!;
        var accepted = bake["responses"]!["202"]!;

        Assert.Equal("#/components/schemas/WeirJob", accepted["content"]!["application/json"]!["schema"]!["$ref"]!.GetValue<string>());
        Assert.Equal(["Idempotent-Replayed", "Location", "Preference-Applied"], Names(accepted["headers"]!).Order());
        Assert.Equal(["Idempotency-Key", "Prefer"], bake["parameters"]!.AsArray().Where(static one => one!["in"]!.GetValue<string>() == "header").Select(static one => one!["name"]!.GetValue<string>()).Order());
        Assert.Contains("422", Names(bake["responses"]!));

        // The result of the direct call stays.
        Assert.Contains("200", Names(bake["responses"]!));
    }

    [Fact]
    public async Task The_schema_has_every_member_that_a_job_has()
    {
        await using var kitchen = await StartAsync();
        var schema = (await kitchen.DocumentAsync())["components"]!["schemas"]!["WeirJob"]!;
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Kitchen/Bake?toppings=Cheese") { Headers = { { "Prefer", "respond-async" } } };
        using var response = await kitchen.Client.SendAsync(request, TestContext.Current.CancellationToken);
        var job = JsonNode.Parse(await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken))!;

        Assert.Equal(System.Net.HttpStatusCode.Accepted, response.StatusCode);
        Assert.Equal(Names(job).Order(), Names(schema["properties"]!).Order());
        Assert.Equal(Names(job["links"]!).Order(), Names(schema["properties"]!["links"]!["properties"]!).Order());
        Assert.Contains(job["state"]!.GetValue<string>(), schema["properties"]!["state"]!["enum"]!.AsArray().Select(static one => one!.GetValue<string>()));
    }

    [Fact]
    public async Task Where_no_jobs_are_served_a_document_knows_none()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();

        Assert.DoesNotContain("202", Names(document["paths"]!["/Kitchen/Bake"]!["post"]!["responses"]!));
        Assert.DoesNotContain("WeirJob", Names(document["components"]!["schemas"]!));
    }

    private static IEnumerable<string> Names(JsonNode node) => node.AsObject().Select(static one => one.Key);

    private static Task<RunningKitchen> StartAsync() => RunningKitchen.StartAsync(static services => services.AddWeirJobs(static jobs => jobs.UseMemory()), static app =>
    {
        app.MapWeir();
        app.MapWeirJobs();
    });
}
