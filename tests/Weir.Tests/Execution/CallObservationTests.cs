using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Definition;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Contract;
using Weir.Tests.Processes;

namespace Weir.Tests.Execution;

public sealed class CallObservationTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly RecordedMeter _meter = new();

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void A_call_whose_duration_is_measured_allocates_nothing()
    {
        var operation = NumberCall.NewOperation();
        var metrics = new PoolMetrics("test", _meter.Weir);
        var least = long.MaxValue;

        // The least of many: the list of measurements that wait grows now and then.
        for (var i = 0; i < 1000; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            var observation = CallObservation.Begin(operation, metrics, _time);
            observation.Sent();
            observation.Complete(operation, null, CancelReason.Caller);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }

    [Fact]
    public async Task A_call_whose_arguments_are_too_large_is_counted_measured_and_completes_its_spans()
    {
        var spans = new ConcurrentQueue<Activity>();
        using var caller = new Activity("test").Start();

        // Other tests make calls at the same time: their spans are not sampled.
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == WeirMeter.Name,
            Sample = (ref ActivityCreationOptions<ActivityContext> options) => options.Parent.TraceId == caller.TraceId ? ActivitySamplingResult.AllData : ActivitySamplingResult.None,
            ActivityStopped = spans.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        var pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "test",
                Options = new PoolOptions { MinWorkers = 0, MaxWorkers = 1, PayloadLimitBytes = 1024 },
                Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
                Launcher = new ManualLauncher(),
                Operations = [LargeCall.Put],
                Loggers = NullLoggerFactory.Instance,
                Time = _time,
                Meter = _meter.Weir,
            },
            []);
        pool.Open();

        await Assert.ThrowsAsync<PayloadTooLargeException>(() => pool.Pipeline.RunAsync(new LargeCall(), default).AsTask());

        Assert.Equal(1, _meter.Collect()["weir.pool.calls test bad_request"]);
        var start = TimeProvider.System.GetTimestamp();
        while (spans.Count < 2 || Times().Length < 1)
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < TimeSpan.FromSeconds(20), $"{spans.Count} spans and {Times().Length} measurements.");
            await Task.Yield();
        }

        Assert.Equal(["Large/Put", "Large/Put wait"], spans.Select(static span => span.OperationName).Order());
        Assert.Equal(["weir.pool.call.time test Large/Put bad_request"], Times());
        await pool.DrainAsync(new CancellationToken(canceled: true));
    }

    private string[] Times()
    {
        lock (_meter.Times)
        {
            return [.. _meter.Times.Select(static one => one.Name)];
        }
    }

    private sealed class LargeCall() : VoidCall(Put)
    {
        public static Operation Put { get; } = new() { Name = "Put", Verbs = Verbs.Post, Placement = Placement.Isolated, Pool = "test", Signature = 0, CreateCall = static _ => new LargeCall() };

        static LargeCall() => _ = new Service { Name = "Large", TypeName = "Large", CreateInstance = static _ => new object(), Operations = [Put] };

        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, new byte[2048]);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
