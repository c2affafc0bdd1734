using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>What operations and filters say about their responses, and what cannot be said.</summary>
public sealed class OwnAnswerTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("X-Name", "a\r\nX-Smuggled: 1", "text")]
    [InlineData("X-Name", "a\r\nX-Smuggled: 1", null)]
    [InlineData("X Name", "a", "text")]
    [InlineData("X-Name", "ü\u2028", null)]
    [InlineData("Content-Length", "3", "text")]
    [InlineData("Transfer-Encoding", "chunked", "text")]
    public async Task A_header_that_no_response_can_have_makes_an_ordinary_problem(string name, string value, string? content)
    {
        var headers = new Dictionary<string, string> { ["ETag"] = "\"1\"", [name] = value };
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Throw", ResultKind.Text, (_, _) => throw new OperationStatusException(409, content, headers)),
            Probe.Result("Set", ResultKind.Text, (_, context) => Set(context, headers)),
            Probe.Stream("Stream", (_, context) =>
            {
                Set(context, headers);
                return AsyncEnumerable.Range(1, 1);
            }));
        foreach (var path in (string[])["/Probe/Throw", "/Probe/Set", "/Probe/Stream"])
        {
            using var response = await host.Client.GetAsync(path, Cancel);
            await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
            Assert.False(response.Headers.Contains("X-Smuggled"));
            Assert.Null(response.Headers.ETag);
            var line = await host.Log.NextAsync(Cancel);
            Assert.Equal((LogLevel.Error, 4201), (line.Level, line.Event));
        }

        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning && !line.Category.StartsWith("Weir", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(101)]
    [InlineData(100)]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(600)]
    [InlineData(12345)]
    public async Task A_status_that_ends_no_response_makes_an_ordinary_problem(int status)
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Text", ResultKind.Text, (_, context) => Set(context, status)),
            Probe.Result("None", ResultKind.None, (_, context) => Set(context, status)),
            Probe.Stream("Stream", (_, context) =>
            {
                Set(context, status);
                return AsyncEnumerable.Range(1, 1);
            }));
        foreach (var path in (string[])["/Probe/Text", "/Probe/None", "/Probe/Stream"])
        {
            using var response = await host.Client.PostAsync(path, null, Cancel);
            await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        }
    }

    [Fact]
    public async Task What_a_middleware_says_about_caches_stays()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Probe.Result("Text", ResultKind.Text, static (_, _) => "x"))],
            Before = static app => app.Use(static (HttpContext context, RequestDelegate next) =>
            {
                context.Response.Headers.Vary = "Cookie";
                return next(context);
            }),
        });
        using var response = await host.Client.GetAsync("/Probe/Text", Cancel);
        Assert.Equal(["Cookie", "Accept"], response.Headers.Vary);
    }

    [Theory]
    [InlineData(typeof(ArgumentException))]
    [InlineData(typeof(ArgumentOutOfRangeException))]
    [InlineData(typeof(FormatException))]
    [InlineData(typeof(OverflowException))]
    [InlineData(typeof(JsonException))]
    public async Task A_type_that_refuses_its_values_makes_a_binding_error_that_names_the_parameter(Type thrown)
    {
        await using var host = await StartPickyAsync(thrown);
        using var got = await host.Client.GetAsync("/Probe/Take?x=1", Cancel);
        Assert.Equal(["x query invalid"], (await got.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
        using var posted = await host.Client.PostAsync("/Probe/Take", new StringContent("""{"x":1}""", null, "application/json"), Cancel);
        Assert.Equal(["x body invalid"], (await posted.ReadProblemAsync(400, WeirCodes.BadArguments)).Errors());
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
        Assert.Equal(HttpStatusCode.OK, (await host.Client.GetAsync("/Probe/Take", Cancel)).StatusCode);
    }

    [Fact]
    public async Task A_type_that_fails_otherwise_makes_an_ordinary_problem()
    {
        await using var host = await StartPickyAsync(typeof(InvalidOperationException));
        using var got = await host.Client.GetAsync("/Probe/Take?x=1", Cancel);
        await got.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.All(host.Log.Lines.Where(static line => line.Level >= LogLevel.Warning), static line => Assert.Equal(4201, line.Event));
        Assert.Equal(HttpStatusCode.OK, (await host.Client.GetAsync("/Probe/Take", Cancel)).StatusCode);
    }

    [Fact]
    public async Task What_the_operations_own_code_throws_is_no_binding_error()
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Throw", ResultKind.Text, static (_, _) => throw new ArgumentException("no")));
        using var got = await host.Client.GetAsync("/Probe/Throw", Cancel);
        await got.ReadProblemAsync(500, WeirCodes.HandlerFailed);
    }

    // Without the argument nothing is thrown.
    private static Task<WeirHost> StartPickyAsync(Type thrown) =>
        WeirHost.StartAsync(Probe.Result("Take", ResultKind.Text, static (_, _) => "x", [Probe.Picky("x", thrown)]));

    private static string? Set(OperationContext context, Dictionary<string, string> headers)
    {
        foreach (var (name, value) in headers)
        {
            context.Headers[name] = value;
        }

        return "x";
    }

    private static string? Set(OperationContext context, int status)
    {
        context.StatusCode = status;
        return "x";
    }
}
