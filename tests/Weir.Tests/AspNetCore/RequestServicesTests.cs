using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Binding;

namespace Weir.Tests.AspNetCore;

public sealed class RequestServicesTests
{
    [Fact]
    public void The_requests_own_services_are_used_and_only_when_needed()
    {
        var http = new DefaultHttpContext();
        var services = new RequestServices().Attach(http);
        using var provider = new ServiceCollection().AddSingleton("plain").AddKeyedSingleton("key", "keyed").BuildServiceProvider();
        http.RequestServices = provider;

        Assert.Equal("plain", services.GetRequiredService<string>());
        Assert.Null(services.GetService<Version>());
        Assert.Equal("keyed", services.GetRequiredKeyedService<string>("key"));
        Assert.Null(services.GetKeyedService<Version>("key"));
        Assert.NotNull(services.GetRequiredService<IServiceScopeFactory>());
    }

    [Fact]
    public void A_service_provider_that_was_used_is_not_reused_for_another_request()
    {
        var buffers = new CallBuffers();
        var unseen = buffers.Services.Attach(new DefaultHttpContext());
        buffers.Clear();
        Assert.Same(unseen, buffers.Services);

        using var provider = new ServiceCollection().BuildServiceProvider();
        _ = unseen.Attach(new DefaultHttpContext { RequestServices = provider }).GetService<string>();
        buffers.Clear();
        Assert.NotSame(unseen, buffers.Services);
        Assert.Null(unseen.GetService<string>());
    }
}
