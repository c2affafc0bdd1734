using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Inline;

/// <summary>Runs a call on its caller's own flow. Arguments and results are shared, not copied.</summary>
internal sealed class InlineExecutor : IExecutor
{
    public bool UsesServices => true;

    public ValueTask RunAsync(Call call, in ExecutionRequest request)
    {
        var service = call.Operation.Service;
        var instance = service.GetInstance(request.Services);
        return service.IsShared || instance is not (IDisposable or IAsyncDisposable)
            ? call.InvokeAsync(instance, request.CancellationToken)
            : RunOwnedAsync(call, instance, request.CancellationToken);
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request) =>
        RunStreamAsync(call, pump, request.Services, request.CancellationToken);

    private static async ValueTask RunOwnedAsync(Call call, object instance, CancellationToken cancellationToken)
    {
        try
        {
            await call.InvokeAsync(instance, cancellationToken);
        }
        finally
        {
            await ServiceInstance.DisposeAsync(instance);
        }
    }

    private static async ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, IServiceProvider services, CancellationToken cancellationToken)
    {
        var service = call.Operation.Service;
        var instance = service.GetInstance(services);
        try
        {
            await call.InvokeAsync(instance, cancellationToken);
            await using var source = call.Source
                ?? throw new InvalidOperationException($"{call.Operation} returned a blocking source, which only the lane may run.");
            await pump.PumpAsync(source, cancellationToken);
        }
        finally
        {
            if (!service.IsShared)
            {
                await ServiceInstance.DisposeAsync(instance);
            }
        }
    }
}
