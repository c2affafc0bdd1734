using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.Server.Hosting;

namespace Weir.Tests.Server;

public sealed class RequestServicesTests
{
    [Fact]
    public void The_requests_own_services_are_asked_and_only_when_needed()
    {
        var http = new DefaultHttpContext();
        var services = new RequestServices(http);
        using var provider = new ServiceCollection().AddSingleton("plain").AddKeyedSingleton("key", "keyed").BuildServiceProvider();
        http.RequestServices = provider;

        Assert.Equal("plain", services.GetRequiredService<string>());
        Assert.Null(services.GetService<Version>());
        Assert.Equal("keyed", services.GetRequiredKeyedService<string>("key"));
        Assert.Null(services.GetKeyedService<Version>("key"));
        Assert.NotNull(services.GetRequiredService<IServiceScopeFactory>());
    }
}
