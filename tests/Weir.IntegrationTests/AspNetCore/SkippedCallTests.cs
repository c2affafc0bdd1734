using System.Buffers;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Calls whose answer is not the operation's result: a filter skipped it or caught its failure, or one of them wrote the response.</summary>
public sealed class SkippedCallTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Number", 0, null, 204, "")]
    [InlineData("Text", 0, null, 204, "")]
    [InlineData("Lane", 0, null, 204, "")]
    [InlineData("Stream", 0, null, 204, "")]
    [InlineData("LaneStream", 0, null, 204, "")]
    [InlineData("Number", 404, null, 404, "")]
    [InlineData("Stream", 404, null, 404, "")]
    [InlineData("Number", 202, 7, 202, "7")]
    [InlineData("Number", 0, 7, 200, "7")]
    public async Task A_call_that_a_filter_skips_answers_what_the_filter_set(string operation, int status, object? result, int answered, string body)
    {
        await using var host = await StartAsync((context, _) =>
        {
            context.StatusCode = status == 0 ? null : status;
            context.Headers["X-Filter"] = "here";
            if (result is not null)
            {
                context.Call.Result = result;
            }

            return default;
        });
        using var response = await host.Client.GetAsync($"/Probe/{operation}", Cancel);
        Assert.Equal((answered, body), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.Equal(["here"], response.Headers.GetValues("X-Filter"));
        Assert.Equal(body.Length > 0, response.Content.Headers.ContentType is not null);
    }

    [Theory]
    [InlineData("Fail")]
    [InlineData("FailLane")]
    [InlineData("FailStream")]
    [InlineData("FailLaneStream")]
    public async Task A_failure_that_a_filter_turns_into_a_status_has_no_body(string operation)
    {
        await using var host = await StartAsync(async (context, next) =>
        {
            try
            {
                await next();
            }
            catch (KeyNotFoundException)
            {
                context.StatusCode = 404;
            }
        });
        using var response = await host.Client.GetAsync($"/Probe/{operation}", Cancel);
        Assert.Equal((HttpStatusCode.NotFound, ""), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Theory]
    [InlineData("/ComplianceInline/Add?a=1&b=2", true, 204)]
    [InlineData("/CompliancePumped/Count?n=3", true, 204)]
    [InlineData("/ComplianceInline/Fail?message=x", false, 404)]
    [InlineData("/CompliancePumped/CountAndFail?n=0", false, 404)]
    public async Task An_isolated_call_that_is_skipped_or_fails_answers_what_the_filter_set(string path, bool skips, int status)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Weir = options =>
            {
                options.Filters.Add(new LambdaFilterAttribute(async (context, next) =>
                {
                    try
                    {
                        await (skips ? default : next());
                    }
                    catch (RemoteException)
                    {
                        context.StatusCode = 404;
                    }
                }));
                TestPools.StartOnDemand(options);
            },
        });
        using var response = await host.Client.PostAsync(path, null, Cancel);
        Assert.Equal((status, ""), ((int)response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
    }

    [Theory]
    [InlineData("Nothing")]
    [InlineData("Number")]
    [InlineData("Lane")]
    [InlineData("Unflushed")]
    [InlineData("Typed")]
    public async Task A_response_that_the_operation_wrote_is_left_alone(string operation)
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Nothing", ResultKind.None, static (_, context) => WriteAsync(context)),
            Probe.Result("Number", ResultKind.Value, static (_, context) => WriteAsync(context)),
            Probe.Result("Lane", ResultKind.None, static (_, context) => WriteAsync(context), placement: Placement.Lane),
            Probe.Result("Unflushed", ResultKind.None, static (_, context) => Unflushed(context)),
            Probe.Result("Typed", ResultKind.None, static (_, context) => Typed(context)));
        for (var i = 0; i < 2; i++)
        {
            using var response = await host.Client.PostAsync($"/Probe/{operation}", null, Cancel);
            Assert.Equal((HttpStatusCode.OK, operation == "Typed" ? "" : "direct"), (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel)));
        }

        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);

        static async Task<object?> WriteAsync(OperationContext context)
        {
            await Response(context).WriteAsync("direct", Cancel);
            return 1;
        }

        static object? Unflushed(OperationContext context)
        {
            Response(context).BodyWriter.Write("direct"u8);
            return null;
        }

        static object? Typed(OperationContext context)
        {
            Response(context).ContentType = "text/csv";
            return null;
        }
    }

    [Fact]
    public async Task A_status_that_the_operation_set_on_the_response_holds()
    {
        await using var host = await WeirHost.StartAsync(
            Probe.Result("Redirect", ResultKind.None, static (_, context) =>
            {
                Response(context).Redirect("/elsewhere");
                return null;
            }),
            Probe.Result("Created", ResultKind.Text, static (_, context) =>
            {
                Response(context).StatusCode = 201;
                return "made";
            }));
        using var redirect = await host.Client.PostAsync("/Probe/Redirect", null, Cancel);
        Assert.Equal((HttpStatusCode.Redirect, "/elsewhere"), (redirect.StatusCode, redirect.Headers.Location?.ToString()));
        using var created = await host.Client.PostAsync("/Probe/Created", null, Cancel);
        Assert.Equal((HttpStatusCode.Created, "made"), (created.StatusCode, await created.Content.ReadAsStringAsync(Cancel)));
    }

    private static HttpResponse Response(OperationContext context) => ((HttpContext)context.Transport!).Response;

    private static Task<WeirHost> StartAsync(Func<OperationContext, Func<ValueTask>, ValueTask> filter) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Weir = options =>
        {
            options.RunInline = true;
            options.Filters.Add(new LambdaFilterAttribute(filter));
        },
        Catalogs =
        [
            new ProbeCatalog(
                Probe.Result("Number", ResultKind.Value, static (_, _) => 42),
                Probe.Result("Text", ResultKind.Text, static (_, _) => "text"),
                Probe.Result("Lane", ResultKind.Value, static (_, _) => 42, placement: Placement.Lane),
                Probe.Stream("Stream", static (_, _) => AsyncEnumerable.Range(1, 3)),
                Probe.Stream("LaneStream", static (_, _) => Enumerable.Range(1, 3), placement: Placement.Lane),
                Probe.Result("Fail", ResultKind.Value, static (_, _) => throw new KeyNotFoundException()),
                Probe.Result("FailLane", ResultKind.Value, static (_, _) => throw new KeyNotFoundException(), placement: Placement.Lane),
                Probe.Stream("FailStream", static (_, _) => FailAsync()),
                Probe.Stream("FailLaneStream", static (_, _) => Fail(), placement: Placement.Lane)),
        ],
    });

    private static async IAsyncEnumerable<int> FailAsync()
    {
        await Task.Yield();
        foreach (var item in Fail())
        {
            yield return item;
        }
    }

    private static IEnumerable<int> Fail()
    {
        for (var i = int.Parse("0", System.Globalization.CultureInfo.InvariantCulture); i >= 0; i++)
        {
            yield return i > 0 ? i : throw new KeyNotFoundException();
        }
    }

    private sealed class LambdaFilterAttribute(Func<OperationContext, Func<ValueTask>, ValueTask> filter) : OperationFilterAttribute
    {
        public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => filter(context, next);
    }
}
