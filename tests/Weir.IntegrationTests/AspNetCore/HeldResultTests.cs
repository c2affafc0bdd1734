using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Results that are read after their operation has returned: how long they and their instance live, and the memory of the request.</summary>
public sealed class HeldResultTests
{
    private static readonly string[] ContentThenInstance = ["content", "instance"];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static MatrixTheoryData<string, string> Sent => new(["Stream", "Pipe", "Result", "Typed", "Lane", "LaneResult"], ["", "weir", "endpoint"]);

    [Theory]
    [MemberData(nameof(Sent))]
    public async Task A_result_is_sent_before_its_instance_is_disposed(string operation, string filter)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(
            log,
            filter == "weir" ? static (_, next) => next() : null,
            filter == "endpoint" ? static (context, next) => next(context) : null);
        using var response = await host.Client.GetAsync($"/HeldContents/{operation}", Cancel);
        Assert.Equal((HttpStatusCode.OK, "piecepiece"), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
    }

    [Theory]
    [InlineData("Broken")]
    [InlineData("Null")]
    [InlineData("Thrown")]
    public async Task An_instance_is_disposed_when_its_result_fails(string operation)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log);
        using var response = await host.Client.GetAsync($"/HeldContents/{operation}", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        var expected = operation == "Broken" ? ContentThenInstance : ["instance"];
        Assert.Equal(expected, await log.TakeAsync(expected.Length, Cancel));
    }

    [Theory]
    [InlineData("Stream", "returns", 418)]
    [InlineData("Result", "returns", 418)]
    [InlineData("Pipe", "throws", 500)]
    [InlineData("Lane", "writes", 202)]
    [InlineData("LaneResult", "writes", 202)]
    public async Task A_result_that_an_endpoint_filter_keeps_from_being_sent_is_disposed(string operation, string what, int status)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log, endpoint: async (context, next) =>
        {
            var result = await next(context);
            if (what == "writes")
            {
                context.HttpContext.Response.StatusCode = 202;
                await context.HttpContext.Response.StartAsync(Cancel);
            }

            return what switch
            {
                "returns" => TypedResults.StatusCode(418),
                "throws" => throw new InvalidOperationException("thrown by a filter"),
                _ => result,
            };
        });
        using var response = await host.Client.GetAsync($"/HeldContents/{operation}", Cancel);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
    }

    [Theory]
    [InlineData("Stream", "replaces", 200)]
    [InlineData("Lane", "replaces", 200)]
    [InlineData("Result", "throws", 500)]
    [InlineData("Pipe", "writes", 202)]
    public async Task A_result_that_an_operation_filter_keeps_from_being_sent_is_disposed(string operation, string what, int status)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log, async (context, next) =>
        {
            await next();
            switch (what)
            {
                case "replaces":
                    context.Result = new MemoryStream("other"u8.ToArray());
                    break;
                case "throws":
                    throw new InvalidOperationException("thrown by a filter");
                default:
                    var response = ((HttpContext)context.Transport!).Response;
                    response.StatusCode = 202;
                    await response.StartAsync(Cancel);
                    break;
            }
        });
        using var response = await host.Client.GetAsync($"/HeldContents/{operation}", Cancel);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.True(what != "replaces" || await response.Content.ReadAsStringAsync(Cancel) == "other");
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
    }

    [Theory]
    [InlineData("Late", false)]
    [InlineData("Late", true)]
    [InlineData("LateResult", false)]
    [InlineData("LateResult", true)]
    public async Task An_operation_that_returns_after_its_request_was_answered_leaves_nothing_open(string operation, bool isEndpointFilter)
    {
        var log = new HeldLog();
        await using var host = await StartUnawaitedAsync(log, isEndpointFilter);
        using var response = await host.Client.GetAsync($"/HeldContents/{operation}", Cancel);
        Assert.True(response.IsSuccessStatusCode);
        Assert.True(log.IsEmpty);
        log.Continue.SetResult();
        string[] expected = operation == "Late" ? ContentThenInstance : ["instance"];
        Assert.Equal(expected, await log.TakeAsync(expected.Length, Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_an_operation_still_reads_is_not_given_to_the_next_request(bool isEndpointFilter)
    {
        var log = new HeldLog();
        await using var host = await StartUnawaitedAsync(log, isEndpointFilter);
        string[] bodies = ["aaaa", "bbbb", "cccc"];
        foreach (var body in bodies)
        {
            using var response = await host.Client.PostAsync("/HeldContents/Read", new StringContent(body), Cancel);
            Assert.True(response.IsSuccessStatusCode);
        }

        log.Continue.SetResult();
        var lines = await log.TakeAsync(6, Cancel);
        Assert.Equal(bodies, lines.Where(static line => line != "instance").Order());
    }

    [Theory]
    [InlineData("Slow")]
    [InlineData("SlowPipe")]
    [InlineData("SlowResult")]
    public async Task A_deadline_that_passes_before_the_first_byte_of_a_result_is_504(string operation)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log);
        using var request = Within(300, $"/HeldContents/{operation}?pieces=0");
        using var response = await host.Client.SendAsync(request, Cancel);
        await response.ReadProblemAsync(504, WeirCodes.DeadlineExceeded);
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
    }

    [Theory]
    [InlineData("Slow", false)]
    [InlineData("SlowPipe", false)]
    [InlineData("SlowResult", false)]
    [InlineData("Slow", true)]
    [InlineData("SlowResult", true)]
    public async Task A_deadline_that_passes_after_the_first_byte_of_a_result_cuts_it(string operation, bool isFiltered)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log, endpoint: isFiltered ? static (context, next) => next(context) : null);
        using var request = Within(2000, $"/HeldContents/{operation}?pieces=1");
        using var response = await host.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        await Assert.ThrowsAnyAsync<Exception>(() => response.Content.ReadAsStringAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
    }

    [Theory]
    [InlineData("Slow", false)]
    [InlineData("SlowPipe", false)]
    [InlineData("SlowResult", false)]
    [InlineData("Slow", true)]
    [InlineData("SlowResult", true)]
    public async Task A_result_whose_reader_leaves_is_disposed_once(string operation, bool isFiltered)
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log, endpoint: isFiltered ? static (context, next) => next(context) : null);
        using (await host.Client.GetAsync($"/HeldContents/{operation}?pieces=1", HttpCompletionOption.ResponseHeadersRead, Cancel))
        {
        }

        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
        await host.StopAsync();
        Assert.True(log.IsEmpty);
    }

    [Fact]
    public async Task A_result_that_is_sent_within_its_deadline_is_whole()
    {
        var log = new HeldLog();
        await using var host = await StartAsync(log);
        foreach (var operation in (string[])["Stream", "Result"])
        {
            using var request = Within(60_000, $"/HeldContents/{operation}");
            using var response = await host.Client.SendAsync(request, Cancel);
            Assert.Equal("piecepiece", await response.Content.ReadAsStringAsync(Cancel));
        }
    }

    [Theory]
    [InlineData("Stream")]
    [InlineData("Pipe")]
    [InlineData("Lane")]
    public async Task A_result_that_code_reads_keeps_its_instance_and_scope_until_it_is_disposed(string operation)
    {
        var log = new HeldLog();
        IServiceProvider? services = null;
        OperationContext? seen = null;
        await using var host = await StartAsync(
            log,
            (context, next) =>
            {
                seen = context;
                return next();
            },
            before: app => services = app.Services);
        var client = services!.GetRequiredService<IHeldContentsClient>();
        var stream = operation switch
        {
            "Stream" => await client.Stream(Cancel),
            "Lane" => await client.Lane(Cancel),
            _ => (await client.Pipe(Cancel)).AsStream(),
        };
        using (var reader = new StreamReader(stream, leaveOpen: true))
        {
            Assert.Equal("piecepiece", await reader.ReadToEndAsync(Cancel));
        }

        Assert.True(log.IsEmpty);
        Assert.Same(log, seen!.Services.GetService<HeldLog>());
        await stream.DisposeAsync();
        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
        Assert.Throws<ObjectDisposedException>(() => seen.Services.GetService<HeldLog>());
    }

    [Fact]
    public async Task Code_that_reads_one_result_after_another_gets_each_of_its_own_call()
    {
        var log = new HeldLog();
        IServiceProvider? services = null;
        await using var host = await StartAsync(log, before: app => services = app.Services);
        var client = services!.GetRequiredService<IHeldContentsClient>();
        var first = await client.Stream(Cancel);
        await using (var second = await client.Stream(Cancel))
        {
            Assert.NotSame(first, second);
        }

        Assert.Equal(ContentThenInstance, await log.TakeAsync(2, Cancel));
        using var reader = new StreamReader(first);
        Assert.Equal("piecepiece", await reader.ReadToEndAsync(Cancel));
        Assert.True(log.IsEmpty);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await client.Thrown(Cancel));
        Assert.Equal(["instance"], await log.TakeAsync(1, Cancel));
    }

    private static HttpRequestMessage Within(int milliseconds, string path) => new(HttpMethod.Get, path) { Headers = { { "Weir-Deadline-Ms", $"{milliseconds}" } } };

    // The filter answers while the operation runs.
    private static Task<WeirHost> StartUnawaitedAsync(HeldLog log, bool isEndpointFilter) => isEndpointFilter
        ? StartAsync(log, endpoint: static (context, next) =>
        {
            _ = next(context).AsTask();
            return new(Results.Text("answered"));
        })
        : StartAsync(log, static (context, next) =>
        {
            _ = next().AsTask();
            return default;
        });

    private static Task<WeirHost> StartAsync(
        HeldLog log, Func<OperationContext, Func<ValueTask>, ValueTask>? filter = null, Func<EndpointFilterInvocationContext, EndpointFilterDelegate, ValueTask<object?>>? endpoint = null,
        Action<WebApplication>? before = null) =>
        WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Prefix = null,
            Weir = options =>
            {
                if (filter is not null)
                {
                    options.Filters.Add(filter);
                }

                TestPools.StartOnDemand(options);
            },
            Services = builder => builder.Services.AddSingleton(log),
            Before = before,
            After = (app, _) =>
            {
                var mapped = app.MapWeirService<HeldContents>();
                if (endpoint is not null)
                {
                    mapped.AddEndpointFilter(endpoint);
                }
            },
        });
}
