using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Conventions and groups act on Weir's endpoints as on others.</summary>
public sealed class ConventionTests
{
    private static readonly Operation Echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]);

    [Fact]
    public async Task Filters_of_other_endpoints_run_beside()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            After = static (app, _) => app.MapGroup("/own").AddEndpointFilter<KeyFilter>().MapGet("/x", static () => "x"),
        });
        Assert.Equal("key", await host.Client.GetStringAsync("/own/x", TestContext.Current.CancellationToken));
        Assert.Equal("1", await host.Client.GetStringAsync("/Probe/Echo?x=1", TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Metadata_stands_in_the_order_of_other_endpoints()
    {
        var echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")], metadata: static service => [.. service, "method"]);
        IReadOnlyList<Endpoint> endpoints = [];
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(static () => ["class"], echo)],
            Prefix = "/plain",
            After = (app, mapped) =>
            {
                Mark(mapped, "mapped");
                var outer = app.MapGroup("/outer");
                Mark(outer, "outer");
                var inner = outer.MapGroup("/inner");
                Mark(inner, "inner");
                Mark(inner.MapWeir("/v1"), "own");
                app.MapGet("/endpoints", (EndpointDataSource all) => endpoints = all.Endpoints);
            },
        });
        using var asked = await host.Client.GetAsync("/endpoints", TestContext.Current.CancellationToken);

        Assert.Equal(
            [
                ("/outer/inner/v1/Probe/Echo", "outer inner class method own ~own ~inner ~outer"),
                ("/outer/inner/v1/Probe/Echo.json", "outer inner class method own ~own ~inner ~outer"),
                ("/outer/inner/v1/Probe/Echo.txt", "outer inner class method own ~own ~inner ~outer"),
                ("/outer/inner/v1/Probe/{**weir.rest}", "outer inner class own ~own ~inner ~outer"),
                ("/plain/Probe/Echo", "class method mapped ~mapped"),
                ("/plain/Probe/Echo.json", "class method mapped ~mapped"),
                ("/plain/Probe/Echo.txt", "class method mapped ~mapped"),
                ("/plain/Probe/{**weir.rest}", "class mapped ~mapped"),
            ],
            endpoints.OfType<RouteEndpoint>().Where(static one => one.RoutePattern.RawText!.Contains("Probe", StringComparison.Ordinal))
                .Select(static one => ("/" + one.RoutePattern.RawText!.TrimStart('/'), string.Join(' ', one.Metadata.OfType<string>()))).Order());
        Assert.Equal("1", await host.Client.GetStringAsync("/outer/inner/v1/Probe/Echo?x=1", TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Endpoints_are_built_before_the_first_request()
    {
        var built = 0;
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            After = (_, mapped) => mapped.Add(_ => built++),
        });
        Assert.Equal(4, built);
    }

    private static void Mark(IEndpointConventionBuilder builder, string mark)
    {
        builder.Add(one => one.Metadata.Add(mark));
        builder.Finally(one => one.Metadata.Add("~" + mark));
    }

    private sealed class KeyFilter : IEndpointFilter
    {
        public ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next) => new("key");
    }
}
