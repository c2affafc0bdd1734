using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Operations that take the request, the response, the user, and services without an attribute.</summary>
public sealed class RequestedTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_request_and_the_user_are_those_of_the_call()
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "/Requested/Read?text=a");
        request.Headers.Add("X-Some", "b");
        request.Headers.Add("User", "ann");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal("True b ann a", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task An_answer_that_the_operation_wrote_is_left_alone()
    {
        await using var host = await StartAsync();
        using var response = await host.Client.PostAsync("/Requested/Answer?text=own", null, Cancel);
        Assert.Equal((418, "text/x-own", "own"), ((int)response.StatusCode, response.Content.Headers.ContentType?.ToString(), await response.Content.ReadAsStringAsync(Cancel)));

        using var value = await host.Client.PostAsync("/Requested/Status", null, Cancel);
        Assert.Equal("yes", value.Headers.GetValues("X-Own").Single());
        Assert.Equal("5", await value.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task Interfaces_and_abstract_classes_come_from_the_container()
    {
        await using var host = await StartAsync();
        using var response = await host.Client.PostAsync("/Requested/Services", null, Cancel);
        Assert.Equal("service service True True", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public void Clients_for_code_have_only_what_code_can_call() =>
        Assert.Equal(["FromCode", "Services"], typeof(IRequestedClient).GetMethods().Select(static one => one.Name).Order());

    private static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Prefix = null,
        Weir = static options => TestPools.StartOnDemand(options),
        Services = static builder => builder.Services.AddSingleton<IRequestedService, RequestedService>().AddSingleton<RequestedBase, RequestedService>(),
        Before = static app => app.Use(static (http, next) =>
        {
            if (http.Request.Headers["User"] is [{ } name])
            {
                http.User = new System.Security.Claims.ClaimsPrincipal(new System.Security.Claims.ClaimsIdentity([new(System.Security.Claims.ClaimTypes.Name, name)], "test"));
            }

            return next(http);
        }),
        After = static (app, _) => app.MapWeirService<Requested>(),
    });
}
