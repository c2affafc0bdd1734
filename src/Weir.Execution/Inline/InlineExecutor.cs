using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Inline;

/// <summary>Runs a call on its caller's own flow. Arguments and results are shared, not copied.</summary>
internal sealed class InlineExecutor(ServiceInstances instances) : IExecutor
{
    public bool NeedsServices(Service service) => instances.NeedsServices(service);

    public ValueTask RunAsync(Call call, in ExecutionRequest request)
    {
        var instance = instances.Get(call.Operation.Service, request.Services, out var isOwned);
        if (request.HoldsResult)
        {
            return RunHeldAsync(call, instance, isOwned, request.CancellationToken);
        }

        return !isOwned || instance is not (IDisposable or IAsyncDisposable)
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

    private static async ValueTask RunHeldAsync(Call call, object instance, bool isOwned, CancellationToken cancellationToken)
    {
        try
        {
            await call.InvokeAsync(instance, cancellationToken);
        }
        catch
        {
            if (isOwned)
            {
                await ServiceInstance.DisposeAsync(instance);
            }

            throw;
        }

        if (call.Hold(new HeldResult(call.Result, isOwned ? instance : null)) is { } unused)
        {
            await unused.DisposeAsync();
        }
    }

    private async ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, IServiceProvider services, CancellationToken cancellationToken)
    {
        var instance = instances.Get(call.Operation.Service, services, out var isOwned);
        try
        {
            await call.InvokeAsync(instance, cancellationToken);
            await using var source = call.Source
                ?? throw new InvalidOperationException($"{call.Operation} returned a blocking source, which only the lane may run.");
            await pump.PumpAsync(source, cancellationToken);
        }
        finally
        {
            if (isOwned)
            {
                await ServiceInstance.DisposeAsync(instance);
            }
        }
    }
}
