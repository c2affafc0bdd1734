using System.Net.Http.Headers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Operations that return an <c>IResult</c>: the framework writes the response.</summary>
public sealed class TypedAnswerTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("GET", "/answers/file", null, 200, "0123456789")]
    [InlineData("GET", "/answers/file", "Range: bytes=2-4", 206, "234")]
    [InlineData("GET", "/answers/file", "If-None-Match: \"v1\"", 304, "")]
    [InlineData("HEAD", "/answers/file", null, 200, "")]
    [InlineData("POST", "/answers/new?text=x", null, 201, "{\"id\":5,\"text\":\"x\"}")]
    [InlineData("GET", "/answers/5", null, 200, "{\"id\":5,\"text\":\"five\"}")]
    [InlineData("GET", "/answers/6", null, 404, "")]
    [InlineData("GET", "/answers/lane", "Accept: text/x-unknown", 203, "from the lane")]
    public async Task The_framework_writes_the_response(string method, string path, string? header, int status, string body)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        if (header?.Split(": ") is [var name, var value])
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal((status, body), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        if (path.EndsWith("file", StringComparison.Ordinal))
        {
            Assert.Equal(new EntityTagHeaderValue("\"v1\""), response.Headers.ETag);
        }

        Assert.Equal(status == 203, response.Headers.Contains("X-Lane"));
    }

    [Fact]
    public async Task A_problem_and_a_missing_result_are_problems()
    {
        await using var host = await StartAsync();
        using var refused = await host.Client.GetAsync("/answers/problem", Cancel);
        Assert.Equal((409, "application/problem+json"), ((int)refused.StatusCode, refused.Content.Headers.ContentType?.MediaType));
        using var none = await host.Client.GetAsync("/answers/none", Cancel);
        await none.ReadProblemAsync(500, WeirCodes.HandlerFailed);
    }

    [Fact]
    public async Task What_the_types_say_is_in_the_endpoint()
    {
        IReadOnlyList<Endpoint>? endpoints = null;
        await using var host = await StartAsync(app => endpoints = ((IEndpointRouteBuilder)app).DataSources.SelectMany(static one => one.Endpoints).ToList());
        var find = endpoints!.Single(static one => one.Metadata.GetMetadata<Operation>() is { FullName: "TypedAnswers/Find" });
        Assert.Equal([(200, typeof(TypedAnswer)), (404, null)], find.Metadata.GetOrderedMetadata<IProducesResponseTypeMetadata>().Select(static one => (one.StatusCode, one.Type == typeof(void) ? null : one.Type)));
    }

    [Fact]
    public void Clients_for_code_do_not_have_them() => Assert.Empty(typeof(ITypedAnswersClient).GetMethods());

    private static Task<WeirHost> StartAsync(Action<WebApplication>? after = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Prefix = null,
        Weir = static options => TestPools.StartOnDemand(options),
        Services = static builder => builder.Services.ConfigureHttpJsonOptions(static options => options.SerializerOptions.TypeInfoResolverChain.Add(new System.Text.Json.Serialization.Metadata.DefaultJsonTypeInfoResolver())),
        After = (app, _) =>
        {
            app.MapWeirService<TypedAnswers>();
            after?.Invoke(app);
        },
    });
}
