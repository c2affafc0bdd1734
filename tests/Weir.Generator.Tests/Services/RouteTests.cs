using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>At which paths an operation is served.</summary>
public sealed class RouteTests
{
    private static readonly Served Served = Served.From(
        """
        using Weir;
        namespace Sample;

        [Service] public sealed class Plain
        {
            [Get, Post] public void Both() { }
            [Get("{id:int}/lines")] public void Lines(int id) { }
            [Get("{ID}"), Put("{id}"), Post] public void Mixed(int id) { }
            [Get("/top/{name}/")] public void Absolute(string name) { }
            [Delete("")] public void Self() { }
            [Get("files/{**path}")] public void File(string path) { }
            [Get("say \"{{x}}\" {when:regex(^\\d{{4}}$)}")] public void Odd(string when) { }
        }

        [Service(Route = "/shops/{shop}/orders/")] public interface IOrders
        {
            [Get("{id}")] Task Find(string shop, int id);
            Task Place(string shop);
        }

        [Service] public sealed class Orders : IOrders
        {
            public Task Find(string shop, int id) => Task.CompletedTask;
            public Task Place(string shop) => Task.CompletedTask;
        }

        [Service(Route = "")] public sealed class Root
        {
            [Get("")] public void Index() { }
            public void Ping() { }
        }

        public static class @event
        {
            [Service] public interface IKeyword { Task Run(); }
        }

        [Service] public sealed class Keyword : @event.IKeyword { public Task Run() => Task.CompletedTask; }
        """);

    [Theory]
    [InlineData("Plain/Both", "Get, Post Plain/Both")]
    [InlineData("Plain/Lines", "Get Plain/{id:int}/lines")]
    [InlineData("Plain/Mixed", "Get Plain/{ID}; Post Plain/Mixed; Put Plain/{id}")]
    [InlineData("Plain/Absolute", "Get top/{name}")]
    [InlineData("Plain/Self", "Delete Plain")]
    [InlineData("Plain/File", "Get Plain/files/{**path}")]
    [InlineData("Plain/Odd", "Get Plain/say \"{{x}}\" {when:regex(^\\d{{4}}$)}")]
    [InlineData("Orders/Find", "Get shops/{shop}/orders/{id}")]
    [InlineData("Orders/Place", "Post shops/{shop}/orders/Place")]
    [InlineData("Root/Index", "Get ")]
    [InlineData("Root/Ping", "Post Ping")]
    public void Routes_are_what_the_verbs_and_the_service_say(string operation, string routes) =>
        Assert.Equal(routes, string.Join("; ", Served.Operation(operation).Routes.Select(static route => $"{route.Verbs} {route.Template}")));

    [Theory]
    [InlineData("Plain", "Plain")]
    [InlineData("Orders", "shops/{shop}/orders")]
    [InlineData("Root", "")]
    public void The_route_of_a_service_is_its_name_unless_it_has_one(string name, string route) =>
        Assert.Equal(route, Served.Catalog.Services.Single(service => service.Name == name).Route);

    [Fact]
    public void A_service_is_found_by_the_names_that_the_runtime_gives_its_types()
    {
        var service = Served.Catalog.Services.Single(static service => service.Name == "Keyword");
        Assert.Equal(("Sample.Keyword", "Sample.event.IKeyword"), (service.TypeName, service.ContractName));
    }

    [Fact]
    public void The_name_in_logs_and_metrics_is_not_the_route() => Assert.Equal("Orders/Find", Served.Operation("Orders/Find").FullName);
}
