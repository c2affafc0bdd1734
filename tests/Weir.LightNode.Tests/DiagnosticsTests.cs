using System.Diagnostics;
using System.Diagnostics.Metrics;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// What is known of a call without a filter. LightNode has an event source with the start, the end and the interruption of a request; in Weir requests are in ASP.NET Core's meter by their
/// route, calls of a pool in Weir's own and in its spans. Failures are in the log (<see cref="ErrorTests"/>).
/// </summary>
public abstract class DiagnosticsTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Fact]
    public async Task The_duration_of_a_request_is_measured_by_operation()
    {
        using var measured = new Measured("http.server.request.duration", "http.route", $"/{Twin("VerbContract")}/Named");
        await SendAsync("PUT", "/VerbContract/Named");
        await measured.Once;
    }

    /// <summary>Waits for a measurement with a tag.</summary>
    private protected sealed class Measured : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly TaskCompletionSource _once = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal Measured(string instrument, string tag, string value)
        {
            _listener.InstrumentPublished = (published, listener) =>
            {
                if (published.Name == instrument)
                {
                    listener.EnableMeasurementEvents(published);
                }
            };
            _listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
            {
                foreach (var (name, text) in tags)
                {
                    if (name == tag && text as string == value)
                    {
                        _once.TrySetResult();
                    }
                }
            });
            _listener.Start();
        }

        internal Task Once => _once.Task.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);

        public void Dispose() => _listener.Dispose();
    }
}

public sealed class InlineDiagnosticsTests(LightNodeApplication application) : DiagnosticsTests(application, Placement.Inline);

public sealed class IsolatedDiagnosticsTests(LightNodeApplication application) : DiagnosticsTests(application, Placement.Isolated)
{
    [Fact]
    public async Task A_call_of_a_pool_is_measured_and_has_a_span_in_the_trace_of_its_request()
    {
        var trace = ActivityTraceId.CreateRandom();
        var span = new TaskCompletionSource<Activity>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Weir",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.TraceId == trace && activity.OperationName == "IsolatedHello/Echo")
                {
                    span.TrySetResult(activity);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        using var measured = new Measured("weir.pool.call.time", "weir.operation", "IsolatedHello/Echo");
        Assert.Equal("a", (await GetAsync("/Hello/Echo?x=a", $"traceparent: 00-{trace}-{ActivitySpanId.CreateRandom()}-01")).Body);
        await measured.Once;
        var activity = await span.Task.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
        Assert.Equal("lightnode", activity.GetTagItem("weir.pool.name"));
    }
}
