using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Inline;
using Weir.Execution.Pipeline;
using Weir.Tests.Contract;

namespace Weir.Tests.Execution;

/// <summary>The managed bytes that a call allocates after warm-up.</summary>
public sealed class AllocationTests
{
    private const int Calls = 1000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_call_through_a_proxy_that_runs_inline_allocates_nothing(bool detectsBlocking)
    {
        using var meter = new RecordedMeter();
        using var diagnostics = InlineDiagnostics.TryCreate(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(500), NullLogger.Instance, meter.Weir, new ManualTime())!;
        var operation = NumberCall.NewOperation();
        var row = new ExecutorTable.Row(new InlineExecutor(ServiceInstances.Generated, detectsBlocking ? diagnostics.Detect(operation) : null), new FilterChain([], operation));
        var pipeline = new RoutedPipeline(new ExecutorTable(new Dictionary<Operation, ExecutorTable.Row> { [operation] = row }), new EmptyScopeFactory(), new ManualTime());
        var invoker = new PipelineInvoker(pipeline);
        object argument = 7;

        // Twice: after a thousand turns the loop is compiled again, on this thread, and the runtime may create objects of types for that.
        Run();
        Run();

        var before = GC.GetAllocatedBytesForCurrentThread();
        var sum = Run();
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(7 * Calls, sum);

        int Run()
        {
            var sum = 0;
            for (var i = 0; i < Calls; i++)
            {
                var call = (NumberCall)operation.RentCall();
                call.Argument = argument;
                var running = invoker.InvokeAsync(call, CancellationToken.None);
                Assert.True(running.IsCompletedSuccessfully);
                sum += running.Result;
            }

            return sum;
        }
    }

    private sealed class EmptyScopeFactory : Microsoft.Extensions.DependencyInjection.IServiceScopeFactory
    {
        public Microsoft.Extensions.DependencyInjection.IServiceScope CreateScope() => throw new NotSupportedException();
    }
}
