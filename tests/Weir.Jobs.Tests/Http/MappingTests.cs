using System.Text.Json;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Weir.Jobs.Tests.Http;

/// <summary>Where the endpoints of jobs are, and which applications do not start.</summary>
public sealed class MappingTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public static TheoryData<string, bool> AdminPolicies => new()
    {
        { "nothing", false },
        { "anonymous", false },
        { "policy and anonymous", false },
        { "anonymous group", false },
        { "policy", true },
        { "default policy", false },
        { "roles", true },
        { "policy object", true },
        { "group", true },
    };

    [Theory, MemberData(nameof(AdminPolicies))]
    public async Task An_application_starts_only_if_its_operators_are_guarded(string what, bool isGuarded)
    {
        foreach (var environment in new[] { Environments.Development, Environments.Production })
        {
            var setup = new HttpHost.Setup
            {
                Environment = environment,

                // It does not count.
                Services = static services => services.AddAuthorizationBuilder().SetFallbackPolicy(new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build()),
                Map = app =>
                {
                    app.MapWeirJobs();
                    _ = what switch
                    {
                        "nothing" => app.MapWeirJobsAdmin(),
                        "anonymous" => app.MapWeirJobsAdmin().AllowAnonymous(),
                        "policy and anonymous" => app.MapWeirJobsAdmin().RequireAuthorization("operators").AllowAnonymous(),
                        "anonymous group" => app.MapGroup("/admin").AllowAnonymous().MapWeirJobsAdmin().RequireAuthorization("operators"),
                        "policy" => app.MapWeirJobsAdmin().RequireAuthorization("operators"),
                        "default policy" => app.MapWeirJobsAdmin().RequireAuthorization(),
                        "roles" => app.MapWeirJobsAdmin().RequireAuthorization(new AuthorizeAttribute { Roles = "operator" }),
                        "policy object" => app.MapWeirJobsAdmin().RequireAuthorization(static policy => policy.RequireRole("operator")),
                        _ => app.MapGroup("/admin").RequireAuthorization("operators").MapWeirJobsAdmin(),
                    };
                },
            };
            if (isGuarded)
            {
                await using var host = await HttpHost.StartAsync(setup);
                using var refused = await host.GetAsync(what == "group" ? "/admin/$jobs/scale" : "/$jobs/scale");
                using var allowed = await host.GetAsync(what == "group" ? "/admin/$jobs/scale" : "/$jobs/scale", HttpHost.Operator);
                Assert.Equal((401, 200), ((int)refused.StatusCode, (int)allowed.StatusCode));
            }
            else
            {
                var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpHost.StartAsync(setup));
                Assert.Contains("MapWeirJobsAdmin", failure.Message, StringComparison.Ordinal);
                Assert.EndsWith("See WEIR3025.", failure.Message, StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData("policy")]
    [InlineData("policy object")]
    [InlineData("group")]
    public async Task The_policy_of_the_operators_lets_them_see_every_job(string what)
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Map = app =>
            {
                app.MapWeir();
                app.MapWeirJobs();
                _ = what switch
                {
                    "policy" => app.MapWeirJobsAdmin("/ops").RequireAuthorization("operators"),
                    "policy object" => app.MapWeirJobsAdmin("/ops").RequireAuthorization(static policy => policy.RequireRole("operator")),
                    _ => app.MapGroup("/ops").RequireAuthorization("operators").MapWeirJobsAdmin("/"),
                };
            },
        });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"x"}""", "ann");
        await host.EndAsync(address, HttpHost.Operator);
        Assert.Equal(404, (await HttpHost.ProblemAsync(await host.GetAsync(address, "bob"))).Status);
        using var list = await host.GetAsync("/ops", HttpHost.Operator);
        var listed = Assert.Single((await HttpHost.JsonAsync(list)).GetProperty("jobs").EnumerateArray());
        Assert.Equal(address, listed.GetProperty("links").GetProperty("self").GetString());
    }

    [Theory]
    [InlineData("", "/jobs", "", "/jobs/")]
    [InlineData("/api/v1", "/jobs", "", "/api/v1/jobs/")]
    [InlineData("/api/", "jobs/", "", "/api/jobs/")]
    [InlineData("", "/$jobs", "/base", "/base/$jobs/")]
    [InlineData("/api", "/$jobs", "/b%20se", "/b%20se/api/$jobs/")]
    [InlineData("", "/", "", "/")]
    [InlineData("", "", "", "/")]
    [InlineData("", "/jöbs und mehr", "", "/j%C3%B6bs%20und%20mehr/")]
    public async Task Every_link_is_where_the_job_is(string group, string path, string pathBase, string expected)
    {
        await using var host = await HttpHost.StartAsync(new()
        {
            Before = app =>
            {
                app.UsePathBase(Uri.UnescapeDataString(pathBase));
                app.UseRouting();
            },
            Map = app =>
            {
                app.MapWeir();
                app.MapGroup(group).MapWeirJobs(path);
            },
        });
        using var response = await host.PostAsync($"{pathBase}/Answers/Pages", null, """{"count":1}""", "Prefer: respond-async");
        var job = await HttpHost.JsonAsync(response);
        var address = $"{expected}{job.GetProperty("id")}";
        Assert.Equal(address, HttpHost.Header(response, "Location"));
        await host.EndAsync(address);
        foreach (var link in job.GetProperty("links").EnumerateObject())
        {
            Assert.StartsWith(address, link.Value.GetString(), StringComparison.Ordinal);
            using var followed = await host.SendAsync(link.Name == "cancel" ? HttpMethod.Post : HttpMethod.Get, link.Value.GetString()!);
            Assert.Equal((link.Name, 200), (link.Name, (int)followed.StatusCode));
        }

        using var waited = await host.PostAsync($"{pathBase}/Answers/Text", null, """{"text":"x"}""", "Prefer: respond-async, wait=60");
        Assert.StartsWith(expected, HttpHost.Header(waited, "Content-Location"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Jobs_are_served_once()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpHost.StartAsync(new()
        {
            Map = static app =>
            {
                app.MapWeirJobs();
                app.MapWeirJobs("/other");
            },
        }));
        Assert.Contains("twice", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Operators_have_one_policy()
    {
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpHost.StartAsync(new()
        {
            Map = static app =>
            {
                app.MapWeirJobsAdmin().RequireAuthorization("operators");
                app.MapWeirJobsAdmin("/other").RequireAuthorization("callers");
            },
        }));
        Assert.Contains("MapWeirJobsAdmin was called twice", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_with_a_parameter_is_refused_wherever_it_comes_from()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => HttpHost.StartAsync(new() { Map = static app => app.MapWeirJobs("/{tenant}/jobs") }));
        await Assert.ThrowsAsync<ArgumentException>(() => HttpHost.StartAsync(new() { Map = static app => app.MapWeirJobsAdmin("/{tenant}/jobs").RequireAuthorization("operators") }));
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => HttpHost.StartAsync(new() { Map = static app => app.MapGroup("/{tenant}").MapWeirJobs() }));
        Assert.Contains("{tenant}", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_missing_is_named_when_it_is_mapped()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddWeir();
        await using var app = builder.Build();
        Assert.Contains("AddWeirJobs", Assert.Throws<InvalidOperationException>(() => app.MapWeirJobs()).Message, StringComparison.Ordinal);
        Assert.Contains("AddWeirJobs", Assert.Throws<InvalidOperationException>(() => app.MapWeirJobsAdmin()).Message, StringComparison.Ordinal);
        await using var bare = WebApplication.CreateSlimBuilder().Build();
        Assert.EndsWith("See WEIR3001.", Assert.Throws<InvalidOperationException>(() => bare.MapWeirJobs()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_page_of_an_origin_that_the_application_allows_submits_and_reads_and_cancels_nothing()
    {
        const string origin = "Origin: https://friend.example";
        await using var host = await HttpHost.StartAsync(new()
        {
            Services = static services => services.AddCors(static options => options.AddPolicy("site", static policy => policy
                .WithOrigins("https://friend.example").WithHeaders("Prefer", "Idempotency-Key", "Content-Type").WithMethods("GET", "POST").WithExposedHeaders("Location", "Preference-Applied"))),
            Before = static app =>
            {
                app.UseRouting();
                app.UseCors();
            },
            Map = static app =>
            {
                app.MapWeir().RequireCors("site");
                app.MapWeirJobs().RequireCors("site");
            },
        });
        using var preflight = await host.SendAsync(
            HttpMethod.Options, "/Answers/Gated", null, null, origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: prefer,idempotency-key,content-type");
        Assert.Equal((204, "https://friend.example"), ((int)preflight.StatusCode, HttpHost.Header(preflight, "Access-Control-Allow-Origin")));
        using var submitted = await host.PostAsync("/Answers/Gated", null, """{"gate":"cors"}""", "Prefer: respond-async", "Sec-Fetch-Site: cross-site", origin);
        Assert.Equal((202, "https://friend.example"), ((int)submitted.StatusCode, HttpHost.Header(submitted, "Access-Control-Allow-Origin")));
        Assert.Contains("Location", HttpHost.Header(submitted, "Access-Control-Expose-Headers"), StringComparison.Ordinal);
        var address = submitted.Headers.Location!.OriginalString;
        using var read = await host.GetAsync(address, null, "Sec-Fetch-Site: cross-site", origin);
        Assert.Equal((200, "https://friend.example"), ((int)read.StatusCode, HttpHost.Header(read, "Access-Control-Allow-Origin")));
        using var cancel = await host.PostAsync($"{address}/cancel", null, null, "Sec-Fetch-Site: cross-site", origin);
        Assert.Equal((403, WeirCodes.CrossSiteRefused), await HttpHost.ProblemAsync(cancel));
        Assert.Equal(JsonValueKind.Null, (await host.JobAsync(address)).GetProperty("stopping").ValueKind);
        using var stranger = await host.PostAsync("/Answers/Gated", null, """{"gate":"cors"}""", "Prefer: respond-async", "Sec-Fetch-Site: cross-site", "Origin: https://evil.example");
        Assert.Equal((403, WeirCodes.CrossSiteRefused), await HttpHost.ProblemAsync(stranger));
        Assert.Single(await host.Jobs.ListAsync(cancellationToken: Ct));
        host.Board.Open("cors");
        await host.EndAsync(address);
    }
}
