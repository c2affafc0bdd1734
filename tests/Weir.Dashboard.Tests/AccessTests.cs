using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Weir.Dashboard.Tests;

/// <summary>Who gets in: every endpoint, every method, every attacker.</summary>
public sealed class AccessTests
{
    private static readonly HttpMethod[] Methods = [HttpMethod.Get, HttpMethod.Head, HttpMethod.Post, HttpMethod.Put, HttpMethod.Delete, HttpMethod.Patch, HttpMethod.Options];

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public static TheoryData<string, string> Forwarded => new()
    {
        { "Forwarded", "for=192.0.2.1" },
        { "Via", "1.1 proxy" },
        { "X-Forwarded-For", "192.0.2.1" },
        { "X-Forwarded-Proto", "https" },
        { "x-forwarded-host", "example.com" },
        { "X-Original-For", "192.0.2.1" },
        { "X-Real-IP", "192.0.2.1" },
        { "X-Real-IP", "" },
    };

    public static TheoryData<string, string> Foreign => new()
    {
        { "Sec-Fetch-Site", "cross-site" },
        { "Sec-Fetch-Site", "same-site" },
        { "Origin", "https://example.com" },
        { "Origin", "null" },
    };

    [Fact]
    public async Task Without_a_policy_requests_from_the_machine_are_answered_in_development()
    {
        await using var application = await DashboardApplication.StartAsync();
        Assert.Equal(15, application.Routes().Count);
        foreach (var path in application.Routes())
        {
            using var response = await application.SendAsync(HttpMethod.Get, path);
            Assert.Equal(path.Contains("some-", StringComparison.Ordinal) || path.EndsWith("/operation", StringComparison.Ordinal) || path.EndsWith("/pool", StringComparison.Ordinal) ? HttpStatusCode.NotFound : path.EndsWith("/history", StringComparison.Ordinal) ? HttpStatusCode.BadRequest : HttpStatusCode.OK, response.StatusCode);
            AssertProtected(response);
            foreach (var method in Methods.Skip(1))
            {
                using var other = await application.SendAsync(method, path);
                Assert.Equal(HttpStatusCode.MethodNotAllowed, other.StatusCode);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Forwarded))]
    [MemberData(nameof(Foreign))]
    [InlineData("Host", "example.com")]
    [InlineData("Host", "localhost.example.com")]
    [InlineData("Host", "127.0.0.1.example.com")]
    [InlineData("Host", "127.1")]
    [InlineData("Host", "2130706433")]
    [InlineData("Host", "192.0.2.1")]
    public async Task Without_a_policy_other_requests_are_refused_by_every_endpoint(string header, string value)
    {
        await using var application = await DashboardApplication.StartAsync();
        foreach (var path in application.Routes())
        {
            using var response = await application.SendAsync(HttpMethod.Get, path, (header, value));
            Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
            AssertProtected(response);
        }
    }

    [Theory]
    [InlineData("localhost")]
    [InlineData("LOCALHOST:1234")]
    [InlineData("127.0.0.2")]
    [InlineData("[::1]:80")]
    public async Task Names_of_the_machine_itself_are_answered(string host)
    {
        await using var application = await DashboardApplication.StartAsync();
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/ps", ("Host", host), ("Sec-Fetch-Site", "same-origin"));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task A_policy_decides_for_every_endpoint_and_replaces_the_rule_for_the_machine()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard().RequireAuthorization("operators"));
        foreach (var path in application.Routes())
        {
            using (var anonymous = await application.SendAsync(HttpMethod.Get, path))
            {
                Assert.Equal(HttpStatusCode.Unauthorized, anonymous.StatusCode);
            }

            using (var other = await application.SendAsync(HttpMethod.Get, path, (DashboardApplication.User, "anyone")))
            {
                Assert.Equal(HttpStatusCode.Forbidden, other.StatusCode);
            }

            using var response = await application.SendAsync(HttpMethod.Get, path, (DashboardApplication.User, "operator"), ("Host", "example.com"), ("X-Forwarded-For", "192.0.2.1"));
            Assert.True((int)response.StatusCode is 200 or 400 or 404, $"{path}: {response.StatusCode}");
        }
    }

    [Theory]
    [MemberData(nameof(Foreign))]
    public async Task A_page_of_another_origin_is_refused_also_with_an_operator_as_its_user(string header, string value)
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard().RequireAuthorization("operators"));
        foreach (var path in application.Routes())
        {
            using var response = await application.SendAsync(HttpMethod.Get, path, (DashboardApplication.User, "operator"), (header, value));
            Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        }
    }

    [Fact]
    public async Task Without_a_policy_an_application_does_not_start_outside_of_development()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard()));
        Assert.Contains("WEIR3024", error.Message, StringComparison.Ordinal);
        Assert.Contains("the environment is 'Production'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fallback_policy_alone_is_not_enough() => Assert.Contains("WEIR3024", (await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(
        Environments.Staging, static app => app.MapWeirDashboard(), static services => services.AddAuthorizationBuilder().SetFallbackPolicy(new Microsoft.AspNetCore.Authorization.AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build())))).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("Development")]
    [InlineData("Production")]
    public async Task AllowAnonymous_does_not_start_in_any_environment(string environment)
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(environment, static app => app.MapWeirDashboard().AllowAnonymous()));
        Assert.Contains("with AllowAnonymous", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_policy_of_the_group_counts()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapGroup("/internal").RequireAuthorization("operators").MapWeirDashboard());
        Assert.All(application.Routes(), static path => Assert.StartsWith("/internal/weir/", path, StringComparison.Ordinal));
        Assert.DoesNotContain(application.Log.Entries, static entry => entry.Id == 4243);
    }

    [Fact]
    public async Task To_let_everyone_in_who_is_authenticated_is_a_warning_once()
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard().RequireAuthorization());
        Assert.Contains("everyone who is authenticated", Assert.Single(application.Log.Entries, static entry => entry.Id == 4243).Text, StringComparison.Ordinal);
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/ps", (DashboardApplication.User, "anyone"));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1_001)]
    public async Task Options_out_of_their_range_do_not_start(int viewers) => Assert.Contains(
        $"Viewers of MapWeirDashboard is {viewers}; set it to 1 to 1,000.",
        (await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(Environments.Development, app => app.MapWeirDashboard(configure: options => options.Viewers = viewers)))).Message,
        StringComparison.Ordinal);

    [Fact]
    public async Task It_is_mapped_once_and_at_no_path_with_a_parameter()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(() => DashboardApplication.StartAsync(Environments.Development, static app =>
        {
            app.MapWeirDashboard();
            app.MapWeirDashboard("/other");
        }));
        await Assert.ThrowsAsync<ArgumentException>(() => DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard("/{tenant}/weir")));
    }

    [Theory]
    [InlineData("cross-site")]
    [InlineData("same-site")]
    public async Task A_link_on_a_page_of_another_origin_opens_the_page_and_no_data(string site)
    {
        await using var application = await DashboardApplication.StartAsync(Environments.Production, static app => app.MapWeirDashboard().RequireAuthorization("operators"));
        foreach (var path in application.Routes())
        {
            using var followed = await application.SendAsync(
                HttpMethod.Get, path, (DashboardApplication.User, "operator"), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"));
            Assert.Equal(path == "/weir/" ? HttpStatusCode.OK : HttpStatusCode.Forbidden, followed.StatusCode);
            foreach (var (mode, destination) in new[] { ("navigate", "iframe"), ("no-cors", "document"), ("cors", "empty"), ("no-cors", "script") })
            {
                using var framed = await application.SendAsync(
                    HttpMethod.Get, path, (DashboardApplication.User, "operator"), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination));
                Assert.Equal(HttpStatusCode.Forbidden, framed.StatusCode);
            }
        }

        using var withoutSlash = await application.SendAsync(
            HttpMethod.Get, "/weir", (DashboardApplication.User, "operator"), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"));
        Assert.Equal(HttpStatusCode.TemporaryRedirect, withoutSlash.StatusCode);
        AssertProtected(withoutSlash);
    }

    private static void AssertProtected(HttpResponseMessage response)
    {
        Assert.Equal(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            Assert.Single(response.Headers.GetValues("Content-Security-Policy")));
        Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));
        Assert.Equal("no-referrer", Assert.Single(response.Headers.GetValues("Referrer-Policy")));
        Assert.Equal("same-origin", Assert.Single(response.Headers.GetValues("Cross-Origin-Opener-Policy")));
        Assert.Equal("same-origin", Assert.Single(response.Headers.GetValues("Cross-Origin-Resource-Policy")));
        Assert.True(response.Headers.CacheControl!.NoStore);
    }
}
