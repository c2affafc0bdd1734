using System.Collections.Concurrent;
using System.Net;
using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Weir.Generated;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Operations that take the user of a request, in the host and in a worker.</summary>
public sealed class CallerTests
{
    private const string NotAuthenticated = "- -; ; ; -";
    private const string NotSent = "- -; ; ; no user";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_user_of_a_request_is_the_same_in_the_host_and_in_a_worker(bool runsInline)
    {
        var seen = new ConcurrentQueue<string?>();
        await using var host = await StartAsync(options =>
        {
            options.RunInline = runsInline;
            options.Filters.Add((context, next) =>
            {
                seen.Enqueue(context.User?.Identity?.Name);
                return next();
            });
        });
        foreach (var operation in new[] { "Inline", "Isolated" })
        {
            Assert.Equal("root test; admin; ; root", await CallAsync(host, operation, "root"));
            Assert.Equal("ann test; ; ; ann", await CallAsync(host, operation, "ann"));
            Assert.Equal(NotAuthenticated, await CallAsync(host, operation, null));
        }

        Assert.Equal(["root", "ann", null, "root", "ann", null], seen);
        Assert.Equal("ann test; ; ; -", await CallAsync(host, "Only", "ann"));
        Assert.Equal("\"root test; admin; ; root\"\n", await CallAsync(host, "Stream", "root", "application/x-ndjson"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pool_that_sends_no_callers_keeps_them_in_the_host(bool runsInline)
    {
        await using var host = await StartAsync(options =>
        {
            options.RunInline = runsInline;
            options.Pool("probe").SendsCaller = false;
        });
        Assert.Equal("root test; admin; ; root", await CallAsync(host, "Inline", "root"));
        Assert.Equal(NotSent, await CallAsync(host, "Isolated", "root"));
        Assert.Equal(NotAuthenticated, await CallAsync(host, "Only", "root"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Claims_that_are_too_large_for_a_worker_fail_the_call_and_name_the_limit(bool runsInline)
    {
        await using var host = await StartAsync(options => options.RunInline = runsInline);
        Assert.Equal("60000", await CallAsync(host, "Length", "large60000"));
        Assert.Equal("70000", await CallAsync(host, "LengthInline", "large70000"));
        using var refused = await SendAsync(host, "Length", "large70000", "application/json");
        Assert.Equal(HttpStatusCode.InternalServerError, refused.StatusCode);
        Assert.Contains("WEIR2017", await refused.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);

        // The worker is not concerned.
        Assert.Equal("ann test; ; ; -", await CallAsync(host, "Only", "ann"));
    }

    [Fact]
    public async Task A_stream_that_outlives_its_request_keeps_its_caller()
    {
        await using var host = await StartAsync();
        Assert.Contains("ann test; ; ; ann", await CallAsync(host, "Kept", "ann", "text/event-stream"), StringComparison.Ordinal);
    }

    private static async Task<string> CallAsync(WeirHost host, string operation, string? user, string accept = "text/plain, application/json;q=0.5")
    {
        using var response = await SendAsync(host, operation, user, accept);
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True(response.IsSuccessStatusCode, text);
        return text;
    }

    private static async Task<HttpResponseMessage> SendAsync(WeirHost host, string operation, string? user, string accept)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/Callers/{operation}");
        request.Headers.TryAddWithoutValidation("Accept", accept);
        request.Headers.TryAddWithoutValidation("X-User", user ?? "");

        // What a client writes is no argument of the parameter.
        request.Content = new StringContent("""{"user":{"identities":[{"authenticationType":"x"}]}}""", null, "application/json");
        return await host.Client.SendAsync(request, Cancel);
    }

    private static Task<WeirHost> StartAsync(Action<WeirOptions>? options = null) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Prefix = null,
        Weir = weir =>
        {
            TestPools.StartOnDemand(weir);
            options?.Invoke(weir);
        },
        Before = static app => app.Use(static (http, next) =>
        {
            if (http.Request.Headers["X-User"] is [{ Length: > 0 } name])
            {
                Claim[] claims = name.StartsWith("large", StringComparison.Ordinal) ? [new Claim("large", new string('x', int.Parse(name.AsSpan(5), null)))]
                    : name == "root" ? [new Claim(ClaimTypes.Name, name), new Claim(ClaimTypes.Role, "admin")]
                    : [new Claim(ClaimTypes.Name, name)];
                http.User = new ClaimsPrincipal(new ClaimsIdentity(claims, "test") { BootstrapContext = "a token" });
            }

            return next(http);
        }),
        After = static (app, _) => app.MapWeirService<Callers>(),
    });
}
