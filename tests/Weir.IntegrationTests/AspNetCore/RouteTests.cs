using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Operations at routes of their own: which request reaches which operation, and where its arguments come from.</summary>
public sealed class RouteTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("GET", "/shops/a/orders", "list a 10")]
    [InlineData("GET", "/Shops/a%20b/ORDERS/?top=3", "list a b 3")]
    [InlineData("GET", "/shops/a/orders.json", "\"list a 10\"")]
    [InlineData("GET", "/shops/%C3%A4+1/orders/17", "find ä+1 17")]
    [InlineData("PUT", "/shops/a/orders/17?note=x", "change a 17 x")]
    [InlineData("GET", "/shops/a/orders/17/lines.ndjson", null)]
    [InlineData("GET", "/shops/a/orders/17/lines", "[\"line a 17 \"]")]
    [InlineData("GET", "/shops/a/orders/17/lines/4", "[\"line a 17 4\"]")]
    [InlineData("GET", "/shops/a/orders/count", "count a")]
    [InlineData("GET", "/shops/a/orders/count.json", "\"count a\"")]
    [InlineData("POST", "/shops/a/orders/count", "named a count")]
    [InlineData("POST", "/shops/a/orders/5", "named a 5")]
    [InlineData("POST", "/shops/a/orders/count.json", "named a count.json")]
    [InlineData("GET", "/routed-files/a/b.txt", "file a/b.txt")]
    [InlineData("GET", "/routed-at/2026-11-24?weekday=Tuesday", "at 2026-11-24 Tuesday")]
    [InlineData("GET", "/routed-either?x=1", "either 1")]
    [InlineData("POST", "/routed-or/2", "either 2")]
    public async Task A_path_reaches_its_operation_with_its_values(string method, string path, string? expected)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, method, path);
        Assert.Equal(expected is null ? HttpStatusCode.NotFound : HttpStatusCode.OK, response.StatusCode);
        if (expected is not null)
        {
            Assert.Equal(expected, await response.Content.ReadAsStringAsync(Cancel));
        }
    }

    [Fact]
    public async Task An_object_in_the_body_stands_beside_values_of_the_path()
    {
        await using var host = await StartAsync();
        using var body = new StringContent("""{"item":"tea","count":2}""", Encoding.UTF8, "application/json");
        using var response = await host.Client.PostAsync("/shops/a/orders/Place", body, Cancel);
        Assert.Equal("place a tea 2", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("/routed-at/never", "day", "route", "invalid")]
    [InlineData("/routed-at/2026-11-24?Day=2026-11-25", "day", "query", "duplicate")]
    [InlineData("/routed-files/", "path", "request", "missing")]
    public async Task A_value_of_the_path_binds_as_strictly_as_any_other(string path, string name, string source, string reason)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, "GET", path);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.Contains($"\"name\":\"{name}\",\"source\":\"{source}\",\"reason\":\"{reason}\"", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_that_a_constraint_refuses_is_no_operation()
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, "GET", "/shops/a/orders/x17");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Contains("WEIR2002", await response.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PATCH", "/shops/a/orders/17", "root", 405, "GET, HEAD, POST, PUT, DELETE, OPTIONS")]
    [InlineData("OPTIONS", "/shops/a/orders/17", "root", 204, "GET, HEAD, POST, PUT, DELETE, OPTIONS")]
    [InlineData("PATCH", "/shops/a/orders/17", null, 401, "")]
    [InlineData("OPTIONS", "/shops/a/orders/17", null, 401, "")]
    [InlineData("DELETE", "/shops/a/orders/17", null, 401, "")]
    [InlineData("DELETE", "/shops/a/orders/17", "root", 200, "")]
    [InlineData("HEAD", "/shops/a/orders/17", null, 200, "")]
    [InlineData("POST", "/routed-either?x=1", null, 405, "GET, HEAD, OPTIONS")]
    [InlineData("GET", "/routed-or/1", null, 405, "POST, OPTIONS")]
    [InlineData("PATCH", "/shops/a/orders/x", "root", 404, "")]
    public async Task Operations_at_one_path_are_chosen_by_the_verb_and_their_policies_hold(string method, string path, string? user, int status, string allow)
    {
        await using var host = await PolicyHost.StartAsync();
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        if (user is not null)
        {
            request.Headers.Add("X-User", user);
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal((status, allow), ((int)response.StatusCode, string.Join(", ", response.Content.Headers.Allow)));
    }

    [Theory]
    [InlineData("PUT", 204, "https://friend.example")]
    [InlineData("DELETE", 401, null)]
    public async Task A_preflight_is_answered_by_the_operation_that_it_asks_about(string asked, int status, string? allowed)
    {
        await using var host = await StartAsync();
        using var request = new HttpRequestMessage(HttpMethod.Options, "/shops/a/orders/17")
        {
            Headers = { { "Origin", "https://friend.example" }, { "Access-Control-Request-Method", asked } },
        };
        using var response = await host.Client.SendAsync(request, Cancel);
        var origins = response.Headers.TryGetValues("Access-Control-Allow-Origin", out var values) ? values.Single() : null;
        Assert.Equal((status, allowed), ((int)response.StatusCode, origins));
    }

    [Fact]
    public async Task A_parameter_in_the_prefix_of_a_group_binds()
    {
        await using var host = await StartAsync(static app => app.MapGroup("/v{version:int}").MapWeirService<ParcelsV2>());
        Assert.Equal("v3 7", await host.Client.GetStringAsync("/v3/parcels/7", Cancel));
        using var refused = await SendAsync(host, "GET", "/vx/parcels/7");
        Assert.Equal(HttpStatusCode.NotFound, refused.StatusCode);
    }

    [Fact]
    public async Task Services_of_one_route_answer_together_for_a_path_that_is_no_operation()
    {
        await using var host = await StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>();
            app.MapWeirService<Tracking>();
        });
        Assert.Equal("track 7", await host.Client.GetStringAsync("/parcels/track/7", Cancel));
        using var refused = await SendAsync(host, "GET", "/parcels/other/7");
        Assert.Equal(HttpStatusCode.NotFound, refused.StatusCode);
        Assert.Contains("WEIR2002", await refused.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_versions_of_a_service_stand_side_by_side()
    {
        await using var host = await StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>("/v1");
            app.MapGroup("/v{version:int}").MapWeirService<ParcelsV2>();
        });
        Assert.Equal("v1 7", await host.Client.GetStringAsync("/v1/parcels/7", Cancel));
        Assert.Equal("v2 7", await host.Client.GetStringAsync("/v2/parcels/7", Cancel));
        Assert.Equal("only v2", await host.Client.GetStringAsync("/v2/parcels/only", Cancel));
    }

    [Fact]
    public async Task Endpoints_of_the_application_at_the_same_path_keep_their_verbs()
    {
        await using var host = await StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>();
            app.MapWeirService<ParcelsV2>("/other");
            app.MapPatch("/parcels/{id}", static (int id) => $"application {id}");
            app.MapPatch("/other/parcels/only", static () => "application");
        });
        Assert.Equal("v1 7", await host.Client.GetStringAsync("/parcels/7", Cancel));
        Assert.Equal("only v2", await host.Client.GetStringAsync("/other/parcels/Only", Cancel));
        foreach (var (path, expected) in ((string, string)[])[("/parcels/8", "application 8"), ("/other/parcels/only", "application")])
        {
            using var response = await SendAsync(host, "PATCH", path);
            Assert.Equal(expected, await response.Content.ReadAsStringAsync(Cancel));
        }

        using var refused = await SendAsync(host, "PUT", "/parcels/7");
        Assert.Equal(HttpStatusCode.MethodNotAllowed, refused.StatusCode);
    }

    [Fact]
    public async Task Routes_between_which_routing_could_not_choose_stop_the_start()
    {
        var twice = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>();
            app.MapWeirService<ParcelsV1>("/");
        }));
        Assert.StartsWith("GET /parcels/{id}: ParcelsV1/Find is mapped twice.", twice.Message, StringComparison.Ordinal);

        var both = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>("/v1");
            app.MapGroup("/v1").MapWeirService<ParcelsV2>();
        }));
        Assert.StartsWith("GET /v1/parcels/{key}: ParcelsV1/Find and ParcelsV2/Find are both served there.", both.Message, StringComparison.Ordinal);
        Assert.Contains("WEIR3014", both.Message, StringComparison.Ordinal);

        await using var hosts = await StartAsync(static app =>
        {
            app.MapWeirService<ParcelsV1>().RequireHost("one.test");
            app.MapWeirService<ParcelsV2>().RequireHost("two.test");
        });
        using var request = new HttpRequestMessage(HttpMethod.Get, "/parcels/7") { Headers = { Host = "two.test" } };
        using var response = await hosts.Client.SendAsync(request, Cancel);
        Assert.Equal("v2 7", await response.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("{id:unknown}", "constraint")]
    [InlineData("{id", "incomplete")]
    public async Task A_route_that_routing_does_not_accept_stops_the_start(string template, string reason)
    {
        var operation = Probe.Result("Find", ResultKind.Text, static (_, _) => "found", [Probe.Int("id")], Verbs.Get, route: "Probe/" + template);
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => WeirHost.StartAsync(operation));
        Assert.StartsWith($"The route '/Probe/{template}' of Probe/Find cannot be used: ", error.Message, StringComparison.Ordinal);
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
    }

    private static Task<WeirHost> StartAsync() => PolicyHost.StartAsync();

    // Two services of the same route cannot be mapped at once, so these are not in the test application's catalog.
    private static Task<WeirHost> StartAsync(Action<WebApplication> map) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = [new Versions()],
        Prefix = null,
        After = (app, _) => map(app),
    });

    private static Task<HttpResponseMessage> SendAsync(WeirHost host, string method, string path) =>
        host.Client.SendAsync(new HttpRequestMessage(new HttpMethod(method), path), Cancel);

    private sealed class ParcelsV1;

    private sealed class ParcelsV2;

    private sealed class Tracking;

    private sealed class Versions : ServiceCatalog
    {
        public override string AssemblyName => "Weir.IntegrationTests";

        public override Guid Identity => Guid.Empty;

        public override IReadOnlyList<Service> Services { get; } =
        [
            Parcels<ParcelsV1>(Probe.Result("Find", ResultKind.Text, static (arguments, _) => $"v1 {arguments["id"]}", [Probe.Int("id")], Verbs.Get, route: "parcels/{id}")),
            Parcels<ParcelsV2>(
                Probe.Result("Find", ResultKind.Text, static (arguments, _) => $"v{arguments.GetValueOrDefault("version", 2)} {arguments["key"]}", [Probe.Text("key"), Probe.Int("version", optional: true)], Verbs.Get, route: "parcels/{key}"),
                Probe.Result("Only", ResultKind.Text, static (_, _) => "only v2", verbs: Verbs.Get, route: "parcels/Only")),
            Parcels<Tracking>(Probe.Result("Track", ResultKind.Text, static (arguments, _) => $"track {arguments["id"]}", [Probe.Int("id")], Verbs.Get, route: "parcels/track/{id}")),
        ];

        public override IReadOnlyList<Proxy> Proxies => [];

        private static Service Parcels<T>(params Operation[] operations) => new()
        {
            Name = typeof(T).Name,
            Route = "parcels",
            TypeName = typeof(T).FullName!.Replace('+', '.'),
            CreateInstance = static _ => new object(),
            IsShared = true,
            Operations = operations,
        };
    }
}
