using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What is around a call is the same wherever the call runs: culture, trace, items.</summary>
public sealed class SurroundingsTests
{
    [Theory]
    [InlineData("InlineSurface")]
    [InlineData("LaneSurface")]
    [InlineData("IsolatedSurface")]
    public async Task Cultures_items_and_baggage_are_the_callers(string service)
    {
        await using var application = new Application(static options => options.Filters.Add(new TenantAttribute()));
        (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture) = (CultureInfo.GetCultureInfo("de-DE"), CultureInfo.GetCultureInfo("fr"));
        using var activity = new Activity("test").AddBaggage("user", "6").AddBaggage("user", "7").Start();
        var around = await AskAsync(application, service);
        Assert.Equal(("de-DE", "fr", "a", "7"), (around[0], around[1], around[2], around[4]));
        Assert.Equal(activity.TraceId.ToHexString(), around[6]);

        // Only text travels to a worker.
        Assert.Equal(service == "IsolatedSurface" ? ["tenant"] : ["number", "tenant"], around[3].Split(' ').Order());
    }

    [Fact]
    public async Task The_next_call_of_a_worker_has_nothing_of_the_one_before()
    {
        await using var application = new Application(static options => options.Pool("probe").MaxWorkers = 1);
        var own = await AskAsync(application, "IsolatedSurface");
        CultureInfo.CurrentCulture = CultureInfo.GetCultureInfo("de-DE");
        Assert.Equal("de-DE", (await AskAsync(application, "IsolatedSurface"))[0]);
        CultureInfo.CurrentCulture = CultureInfo.GetCultureInfo(own[0]);
        Assert.Equal(own, await AskAsync(application, "IsolatedSurface"));
        Assert.Equal("", own[2]);
    }

    [Fact]
    public async Task A_call_has_a_span_for_waiting_and_one_for_running_which_is_the_parent_in_the_worker()
    {
        await using var application = new Application();
        var spans = new ConcurrentQueue<Activity>();
        using var activity = new Activity("test").Start();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Weir",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = span =>
            {
                if (span.TraceId == activity.TraceId)
                {
                    spans.Enqueue(span);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        var around = await AskAsync(application, "IsolatedSurface");
        Assert.Same(activity, Activity.Current);
        Assert.True(await ProcFiles.EventuallyAsync(() => spans.Count == 2, TimeSpan.FromSeconds(60)));
        var waiting = spans.Single(static span => span.OperationName == "IsolatedSurface/Around wait");
        var running = spans.Single(static span => span.OperationName == "IsolatedSurface/Around");
        Assert.Equal((activity.SpanId, activity.SpanId), (waiting.ParentSpanId, running.ParentSpanId));
        Assert.Equal(running.SpanId.ToHexString(), around[5]);
        Assert.Equal(running.StartTimeUtc, waiting.StartTimeUtc + waiting.Duration);
        Assert.Equal(("probe", "ok"), (running.GetTagItem("weir.pool.name"), running.GetTagItem("weir.call.status")));

        // A call that fails says so.
        await Assert.ThrowsAnyAsync<WeirException>(() => application.CallAsync("IsolatedSurface/Chosen", """{"status":99,"name":"X-A","value":"b"}"""));
        Assert.True(await ProcFiles.EventuallyAsync(() => spans.Count == 4, TimeSpan.FromSeconds(60)));
        Assert.Equal(ActivityStatusCode.Error, spans.Single(static span => span.OperationName == "IsolatedSurface/Chosen").Status);
    }

    private static async Task<string[]> AskAsync(Application application, string service) =>
        JsonSerializer.Deserialize<string[]>(await application.CallAsync($"{service}/Around"))!;

    private sealed class TenantAttribute : OperationFilterAttribute
    {
        public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            context.Items["tenant"] = "a";
            context.Items["number"] = 7;
            return next();
        }
    }
}
