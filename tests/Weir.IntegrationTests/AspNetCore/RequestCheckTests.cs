using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What is looked at before an operation runs: verb, origin, format, media type; in this order.</summary>
public sealed class RequestCheckTests
{
    private static readonly Operation Echo = Probe.Result("Echo", ResultKind.Text, static (a, _) => a["x"], [Probe.Text("x")]);
    private static readonly Operation Store = Probe.Result("Store", ResultKind.None, static (_, _) => null, verbs: Verbs.Put);
    private static readonly Operation Size = Probe.Result("Size", ResultKind.Value, static (a, _) => ((ReadOnlyMemory<byte>)a["data"]!).Length, [Probe.Raw("data")], Verbs.Post);
    private static readonly Operation Numbers = Probe.Stream("Numbers", static (_, _) => AsyncEnumerable.Range(1, 2));

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("http://app.test:5204", "app.test:5204", null, 200)]
    [InlineData("http://APP.test", "app.test:80", null, 200)]
    [InlineData("http://[::1]:81", "[::1]:81", null, 200)]
    [InlineData("http://evil.test:5204", "app.test:5204", null, 403)]
    [InlineData("http://app.test:5205", "app.test:5204", null, 403)]
    [InlineData("https://app.test:5204", "app.test:5204", null, 403)]
    [InlineData("http://app.test", "app.test:5204", null, 403)]
    [InlineData("null", "app.test", null, 403)]
    [InlineData("http://friend.test", "app.test", null, 200)]
    [InlineData("http://evil.test", "app.test", "same-origin", 200)]
    [InlineData("http://app.test", "app.test", "cross-site", 403)]
    [InlineData("https://sibling.app.test", "app.test", "same-site", 403)]
    [InlineData("http://app.test", "app.test", "same-site", 403)]
    [InlineData("http://friend.test", "app.test", "same-site", 200)]
    [InlineData("http://friend.test", "app.test", "cross-site", 200)]
    [InlineData("https://sibling.app.test", "app.test", "SAME-SITE", 403)]
    [InlineData("https://sibling.app.test", "app.test", "another-word", 403)]
    [InlineData("http://app.test", "app.test", "none", 200)]
    [InlineData("http://app.test", "app.test", "Same-Origin", 200)]
    [InlineData("https://app.test", "app.test", "proxy", 200)]
    public async Task A_page_of_another_origin_may_not_write_whether_its_browser_sends_fetch_metadata_or_not(string origin, string host, string? site, int status)
    {
        await using var server = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Echo)],
            Services = static builder => builder.Services.AddCors(static cors => cors.AddDefaultPolicy(static policy => policy.WithOrigins("http://friend.test"))),
            Before = static app => app.UseForwardedHeaders(new ForwardedHeadersOptions { ForwardedHeaders = ForwardedHeaders.XForwardedProto }),
        });
        foreach (var (verb, expected) in ((string, int)[])[("POST", status), ("GET", 200), ("HEAD", 200)])
        {
            using var request = new HttpRequestMessage(new HttpMethod(verb), "/Probe/Echo?x=1");
            request.Headers.Host = host;
            request.Headers.TryAddWithoutValidation("Origin", origin);
            if (site == "proxy")
            {
                request.Headers.Add("X-Forwarded-Proto", "https");
            }
            else if (site is not null)
            {
                request.Headers.Add("Sec-Fetch-Site", site);
            }

            using var response = await server.Client.SendAsync(request, Cancel);
            Assert.Equal(expected, (int)response.StatusCode);
            if (expected == 403)
            {
                await response.ReadProblemAsync(403, WeirCodes.CrossSiteRefused);
            }
        }
    }

    [Theory]
    [InlineData("GET", 405)]
    [InlineData("OPTIONS", 204)]
    [InlineData("PUT", 406)]
    public async Task The_verb_comes_before_a_format_that_does_not_exist(string verb, int status)
    {
        await using var host = await WeirHost.StartAsync(Store);
        using var request = new HttpRequestMessage(new HttpMethod(verb), "/Probe/Store.zzz");
        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(status, (int)response.StatusCode);
        if (status != 406)
        {
            Assert.Equal(["PUT", "OPTIONS"], response.Content.Headers.Allow);
        }
    }

    [Fact]
    public async Task The_origin_comes_before_a_format_that_does_not_exist()
    {
        await using var host = await WeirHost.StartAsync(Store);
        using var request = new HttpRequestMessage(HttpMethod.Put, "/Probe/Store.zzz");
        request.Headers.Add("Origin", "http://evil.test");
        using var response = await host.Client.SendAsync(request, Cancel);
        await response.ReadProblemAsync(403, WeirCodes.CrossSiteRefused);
    }

    [Fact]
    public async Task A_form_with_files_is_no_raw_body()
    {
        await using var host = await WeirHost.StartAsync(Size);
        using var form = new MultipartFormDataContent { { new ByteArrayContent("abc"u8.ToArray()), "data", "abc" } };
        using var refused = await host.Client.PostAsync("/Probe/Size", form, Cancel);
        var problem = await refused.ReadProblemAsync(415, WeirCodes.UnsupportedMediaType);
        Assert.Contains("only the bytes of 'data'", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        using var taken = await host.Client.PostAsync("/Probe/Size", new ByteArrayContent("abc"u8.ToArray()), Cancel);
        Assert.Equal("3", await taken.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("GET", "/Probe/Echo?x=1", null, 200, true)]
    [InlineData("GET", "/Probe/Echo?x=1", "text/html", 406, true)]
    [InlineData("GET", "/Probe/Echo.json?x=1", "text/html", 200, false)]
    [InlineData("GET", "/Probe/Numbers", "text/event-stream", 200, true)]
    [InlineData("HEAD", "/Probe/Numbers", null, 200, true)]
    [InlineData("GET", "/Probe/Numbers.ndjson", "application/x-ndjson; weir=1", 200, true)]
    [InlineData("GET", "/Probe/Numbers.sse", null, 200, false)]
    [InlineData("GET", "/Probe/Numbers", "image/png", 406, true)]
    [InlineData("POST", "/Probe/Size", "text/html", 406, true)]
    [InlineData("POST", "/Probe/Size", "*/*", 200, false)]
    public async Task An_answer_that_the_accept_header_chose_says_so_to_caches(string verb, string path, string? accept, int status, bool varies)
    {
        await using var host = await WeirHost.StartAsync(Echo, Numbers, Size);
        using var request = new HttpRequestMessage(new HttpMethod(verb), path);
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        using var response = await host.Client.SendAsync(request, Cancel);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(varies ? "Accept" : "", response.Headers.Vary.ToString());
    }

    [Fact]
    public async Task An_argument_that_comes_many_times_is_one_argument()
    {
        await using var host = await WeirHost.StartAsync(Echo);
        using var response = await host.Client.GetAsync("/Probe/Echo?" + string.Join('&', Enumerable.Repeat("x=1", 500)), Cancel);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(["x query duplicate"], problem.Errors());
        Assert.StartsWith("The argument cannot be bound: x", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }
}
