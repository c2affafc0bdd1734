using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Which services have endpoints, and which verbs these accept.</summary>
public sealed class MappedServiceTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task One_service_is_mapped_by_its_contract_or_its_class_under_prefixes_of_their_own()
    {
        await using var host = await WeirHost.StartAsync(Setup(static app =>
        {
            app.MapWeirService<ISelected>("/v1");
            app.MapGroup("/group").MapWeirService<Selected>("/v2").WithMetadata("second");
        }));

        Assert.Equal("selected", await host.Client.GetStringAsync("/v1/Selected/Hello", Cancel));
        Assert.Equal("selected", await host.Client.GetStringAsync("/group/v2/Selected/Hello", Cancel));
        using var other = await host.Client.GetAsync("/v1/Echoes/Sum?x=1&y=2", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, other.StatusCode);
    }

    [Theory]
    [InlineData("Hello", "GET, HEAD, OPTIONS", "GET", "POST")]
    [InlineData("Change", "POST, OPTIONS", "POST", "GET")]
    public async Task A_verb_of_the_contract_holds_where_the_method_names_none(string operation, string allowed, string accepted, string refused)
    {
        await using var host = await WeirHost.StartAsync(Setup(null));
        using var good = await host.Client.SendAsync(new HttpRequestMessage(new HttpMethod(accepted), $"/Selected/{operation}"), Cancel);
        Assert.Equal(HttpStatusCode.OK, good.StatusCode);
        using var bad = await host.Client.SendAsync(new HttpRequestMessage(new HttpMethod(refused), $"/Selected/{operation}"), Cancel);
        Assert.Equal((HttpStatusCode.MethodNotAllowed, allowed), (bad.StatusCode, string.Join(", ", bad.Content.Headers.Allow)));
    }

    [Fact]
    public async Task A_service_without_HTTP_has_no_endpoint_and_is_called_by_injection()
    {
        IInternalOnlyClient? client = null;
        await using var host = await WeirHost.StartAsync(Setup(app =>
        {
            client = app.Services.GetRequiredService<IInternalOnlyClient>();
            var refused = Assert.Throws<InvalidOperationException>(() => app.MapWeirService<InternalOnly>());
            Assert.Contains("Http = false", refused.Message, StringComparison.Ordinal);
            var unknown = Assert.Throws<InvalidOperationException>(() => app.MapWeirService<Uri>());
            Assert.Contains("MapWeirService<System.Uri>: no service has this class or contract", unknown.Message, StringComparison.Ordinal);
        }));

        foreach (var verb in (HttpMethod[])[HttpMethod.Get, HttpMethod.Post])
        {
            using var response = await host.Client.SendAsync(new HttpRequestMessage(verb, "/InternalOnly/Hello"), Cancel);
            Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
            Assert.Null(response.Content.Headers.ContentType);
        }

        Assert.Equal("inside", await client!.Hello(Cancel));
    }

    private static WeirHost.Setup Setup(Action<WebApplication>? map) => new()
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options),
        After = (app, _) => map?.Invoke(app),
    };
}
