using System.Net;
using System.Text;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Attributes of ASP.NET Core on services act through the real middleware, wherever the operation runs and however it is asked.</summary>
public sealed class PolicyTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_policy_on_the_class_guards_every_endpoint_of_every_operation()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var path in PolicyHost.Kinds.SelectMany(static kind => (string[])[$"/Guarded/{kind}", $"/guarded/{kind.ToLowerInvariant()}.json", $"/Guarded/{kind}/"]))
        {
            foreach (var method in (HttpMethod[])[HttpMethod.Get, HttpMethod.Head, HttpMethod.Post, HttpMethod.Delete, HttpMethod.Options])
            {
                Assert.Equal((HttpStatusCode.Unauthorized, ""), await AskAsync(host, method, path));
                Assert.Equal((HttpStatusCode.Forbidden, ""), await AskAsync(host, method, path, "banned"));
            }

            Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Get, path, "ada")).Status);
            Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Head, path, "ada")).Status);
            Assert.Equal(HttpStatusCode.MethodNotAllowed, (await AskAsync(host, HttpMethod.Delete, path, "ada")).Status);
        }
    }

    [Theory]
    [InlineData("/Guarded/Admin", null, 401)]
    [InlineData("/Guarded/Admin", "banned", 403)]
    [InlineData("/Guarded/Admin.json", "ada", 403)]
    [InlineData("/Guarded/Admin", "root", 200)]
    [InlineData("/Guarded/Open", null, 200)]
    [InlineData("/Guarded/Open.json", "banned", 200)]
    [InlineData("/HalfGuarded/Secret", null, 401)]
    [InlineData("/HalfGuarded/Secret", "ada", 200)]
    [InlineData("/HalfGuarded/Inline", null, 200)]
    public async Task The_method_says_more_than_its_class(string path, string? user, int status)
    {
        await using var host = await PolicyHost.StartAsync();
        Assert.Equal(status, (int)(await AskAsync(host, HttpMethod.Get, path, user)).Status);
    }

    [Theory]
    [InlineData("/Guarded/Nothing", null, 401)]
    [InlineData("/Guarded/Inline.zzz", null, 401)]
    [InlineData("/Guarded/", null, 401)]
    [InlineData("/Guarded/Nothing", "ada", 404)]
    [InlineData("/Guarded/Inline.zzz", "ada", 406)]
    [InlineData("/Guarded/Open.zzz", "ada", 406)]
    [InlineData("/Guarded/Admin.zzz", "ada", 404)]
    [InlineData("/HalfGuarded/Nothing", null, 404)]
    [InlineData("/HalfGuarded/Inline.zzz", null, 406)]
    [InlineData("/HalfGuarded/Secret.zzz", null, 404)]
    public async Task What_is_no_operation_tells_a_stranger_nothing_that_the_service_would_not(string path, string? user, int status)
    {
        await using var host = await PolicyHost.StartAsync();
        var (found, text) = await AskAsync(host, HttpMethod.Get, path, user);
        Assert.Equal(status, (int)found);
        Assert.Equal(path.Contains("Admin", StringComparison.Ordinal) || path.Contains("Secret", StringComparison.Ordinal), status == 404 && text.Contains(".zzz'", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Conventions_of_MapWeir_stand_behind_the_attributes()
    {
        await using var host = await PolicyHost.StartAsync(static (_, mapped) => mapped.RequireAuthorization(static policy => policy.RequireRole("admin")));
        Assert.Equal(HttpStatusCode.Forbidden, (await AskAsync(host, HttpMethod.Get, "/Guarded/Inline", "ada")).Status);
        Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Get, "/Guarded/Inline", "root")).Status);
        Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Get, "/Guarded/Open")).Status);
        Assert.Equal(HttpStatusCode.NotAcceptable, (await AskAsync(host, HttpMethod.Get, "/Guarded/Inline.zzz", "root")).Status);
    }

    [Fact]
    public async Task A_rate_limit_counts_all_endpoints_of_an_operation()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var kind in PolicyHost.Kinds)
        {
            Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Get, $"/RateLimited/{kind}")).Status);
            foreach (var (method, path) in (ReadOnlySpan<(HttpMethod, string)>)[(HttpMethod.Get, $"/RateLimited/{kind}"), (HttpMethod.Head, $"/ratelimited/{kind}/"), (HttpMethod.Post, $"/RateLimited/{kind}.json")])
            {
                Assert.Equal(HttpStatusCode.TooManyRequests, host.Client.Send(new HttpRequestMessage(method, path), Cancel).StatusCode);
            }
        }
    }

    [Fact]
    public async Task A_cached_answer_runs_the_operation_once()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var path in PolicyHost.Kinds.Select(static kind => $"/Cached/{kind}").Append("/Cached/Inline.json"))
        {
            var first = await AskAsync(host, HttpMethod.Get, path);
            Assert.Equal(HttpStatusCode.OK, first.Status);
            Assert.Contains('-', first.Text);
            Assert.Equal(first, await AskAsync(host, HttpMethod.Get, path));
        }

        Assert.NotEqual((await AskAsync(host, HttpMethod.Get, "/HalfGuarded/Inline")).Text, (await AskAsync(host, HttpMethod.Get, "/HalfGuarded/Inline")).Text);
    }

    [Fact]
    public async Task A_page_of_an_allowed_origin_may_read_and_write()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var path in PolicyHost.Kinds.SelectMany(static kind => (string[])[$"/CrossOrigin/{kind}", $"/CrossOrigin/{kind}.json"]))
        {
            using var preflight = new HttpRequestMessage(HttpMethod.Options, path) { Headers = { { "Origin", "https://friend.example" }, { "Access-Control-Request-Method", "POST" } } };
            using var allowed = await host.Client.SendAsync(preflight, Cancel);
            Assert.Equal(["https://friend.example"], allowed.Headers.GetValues("Access-Control-Allow-Origin"));
            Assert.Equal(["POST"], allowed.Headers.GetValues("Access-Control-Allow-Methods"));

            foreach (var (origin, status) in ((string, HttpStatusCode)[])[("https://friend.example", HttpStatusCode.OK), ("https://evil.example", HttpStatusCode.Forbidden)])
            {
                using var post = new HttpRequestMessage(HttpMethod.Post, path) { Headers = { { "Origin", origin }, { "Sec-Fetch-Site", "cross-site" } } };
                using var answer = await host.Client.SendAsync(post, Cancel);
                Assert.Equal(status, answer.StatusCode);
                Assert.Equal(status == HttpStatusCode.OK, answer.Headers.Contains("Access-Control-Allow-Origin"));
            }
        }
    }

    [Fact]
    public async Task A_body_over_the_limit_is_413_announced_or_not()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var path in PolicyHost.Kinds.Select(static kind => $"/Small/{kind}").Append("/Small/Inline.json"))
        {
            foreach (var chunked in (bool[])[false, true])
            {
                Assert.Equal(HttpStatusCode.OK, await PostAsync(host, path, "delay=0&x=" + new string('x', 50), "application/x-www-form-urlencoded", chunked));
                Assert.Equal(HttpStatusCode.RequestEntityTooLarge, await PostAsync(host, path, "delay=0&x=" + new string('x', 500), "application/x-www-form-urlencoded", chunked));
            }
        }

        var large = new string('x', 40_000_000);
        Assert.Equal(HttpStatusCode.OK, await PostAsync(host, "/Small/Unlimited", large, "application/octet-stream", chunked: false));
        Assert.Equal(HttpStatusCode.OK, await PostAsync(host, "/Small/Unlimited", large, "application/octet-stream", chunked: true));
        Assert.Equal(HttpStatusCode.OK, await PostAsync(host, "/Small/Sum", "1\n2\n", "application/x-ndjson", chunked: true));
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, await PostAsync(host, "/Small/Sum", string.Concat(Enumerable.Repeat("1\n", 500)), "application/x-ndjson", chunked: true));
    }

    [Fact]
    public async Task A_timeout_ends_the_call_and_no_other()
    {
        await using var host = await PolicyHost.StartAsync();

        // The start of the worker is not what is measured.
        await AskAsync(host, HttpMethod.Get, "/HalfGuarded/Worker");

        // Beside each other, but for the two that share a worker.
        await Task.WhenAll(TimeOutAsync("Inline"), TimeOutAsync("Inline.json"), TimeOutAsync("Lane"), TimeOutAsync("Stream"), TimeOutAsync("Worker", "WorkerStream"));

        async Task TimeOutAsync(params string[] kinds)
        {
            foreach (var kind in kinds)
            {
                // On a busy machine also a call that waits for nothing may take too long.
                var status = HttpStatusCode.GatewayTimeout;
                for (var attempt = 0; attempt < 30 && status == HttpStatusCode.GatewayTimeout; attempt++)
                {
                    status = (await AskAsync(host, HttpMethod.Get, $"/Timed/{kind}")).Status;
                }

                Assert.Equal((kind, HttpStatusCode.OK), (kind, status));
                Assert.Equal(HttpStatusCode.GatewayTimeout, (await AskAsync(host, HttpMethod.Get, $"/Timed/{kind}?delay=60000")).Status);
            }
        }
    }

    [Fact]
    public async Task A_request_without_the_demanded_token_is_refused()
    {
        await using var host = await PolicyHost.StartAsync();
        foreach (var path in PolicyHost.Kinds.SelectMany(static kind => (string[])[$"/Tokened/{kind}", $"/Tokened/{kind}.json"]))
        {
            using var refused = await host.Client.PostAsync(path, new StringContent("{}", Encoding.UTF8, "application/json"), Cancel);
            await refused.ReadProblemAsync(400, WeirCodes.CrossSiteRefused);
            Assert.Equal(HttpStatusCode.OK, (await AskAsync(host, HttpMethod.Get, path)).Status);
        }
    }

    [Fact]
    public async Task The_demanded_token_may_be_in_a_form_whose_values_are_bound_too()
    {
        await using var host = await PolicyHost.StartAsync(static (app, _) => app.MapGet("/token", static (IAntiforgery antiforgery, HttpContext http) => antiforgery.GetAndStoreTokens(http).RequestToken));
        using var given = await host.Client.GetAsync("/token", Cancel);
        var token = await given.Content.ReadAsStringAsync(Cancel);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/Tokened/Inline")
        {
            Headers = { { "Cookie", given.Headers.GetValues("Set-Cookie").Single().Split(';')[0] } },
            Content = new FormUrlEncodedContent([new("delay", "x"), new("__RequestVerificationToken", token)]),
        };
        using var accepted = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(["delay form invalid"], (await accepted.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
    }

    [Fact]
    public async Task A_worker_makes_no_attributes_and_loads_no_ASP_NET_Core()
    {
        await using var host = await PolicyHost.StartAsync();
        Assert.Equal((HttpStatusCode.OK, "0"), await AskAsync(host, HttpMethod.Get, "/Attributed/Loaded"));
        Assert.NotEqual(0, CountedAttribute.Constructed);
    }

    [Fact]
    public async Task A_name_leads_to_the_path_without_an_extension()
    {
        string? path = null;
        await using var host = await PolicyHost.StartAsync((app, _) => app.MapGet("/link", (LinkGenerator links) => path = links.GetPathByName("guarded-admin", values: null)));
        await host.Client.GetStringAsync("/link", Cancel);
        Assert.Equal("/Guarded/Admin", path);
    }

    [Fact]
    public async Task Policies_whose_services_are_missing_are_named_at_start()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            HasPolicyServices = false,
            Catalogs = [new ProbeCatalog(Probe.Result("A", ResultKind.Text, static (_, _) => "a"), Probe.Result("B", ResultKind.Text, static (_, _) => "b"))],
            After = static (app, mapped) =>
            {
                mapped.Add(static one =>
                {
                    if (one.Metadata.OfType<Operation>().FirstOrDefault() is { Name: "B" })
                    {
                        one.Metadata.Add(new Microsoft.AspNetCore.Http.Timeouts.RequestTimeoutAttribute(500));
                    }
                });
                mapped.RequireRateLimiting("some");
                app.MapGroup("/group").CacheOutput().MapWeir();
            },
        });

        Assert.Equal(
            [
                "Probe/A, Probe/B: [EnableRateLimiting] has no effect, because AddRateLimiter was not called on the services; call it, and UseRateLimiter on the application. See WEIR3010.",
                "Probe/A, Probe/B: [OutputCache] has no effect, because AddOutputCache was not called on the services; call it, and UseOutputCache on the application. See WEIR3010.",
                "Probe/B: [RequestTimeout] has no effect, because AddRequestTimeouts was not called on the services; call it, and UseRequestTimeouts on the application. See WEIR3010.",
            ],
            host.Log.Lines.Where(static line => line.Event == 4220 && line.Level == LogLevel.Warning).Select(static line => line.Text));
    }

    [Fact]
    public async Task Policies_whose_services_are_there_are_not_named()
    {
        await using var host = await PolicyHost.StartAsync();
        Assert.DoesNotContain(host.Log.Lines, static line => line.Event == 4220);
    }

    private static async Task<(HttpStatusCode Status, string Text)> AskAsync(WeirHost host, HttpMethod method, string path, string? user = null)
    {
        using var request = PolicyHost.Request(method, path, user);
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.True(response.StatusCode != HttpStatusCode.InternalServerError, string.Join('\n', host.Log.Lines.Where(static line => line.Level >= LogLevel.Warning).Select(static line => line.Text + line.Error)));
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel));
    }

    private static async Task<HttpStatusCode> PostAsync(WeirHost host, string path, string body, string mediaType, bool chunked)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = new StringContent(body, Encoding.UTF8, mediaType) };
        request.Headers.TransferEncodingChunked = chunked;
        request.Headers.ExpectContinue = true;
        using var response = await host.Client.SendAsync(request, Cancel);
        return response.StatusCode;
    }
}
