using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Inline;

/// <summary>Runs a call on its caller's own flow. Arguments and results are shared, not copied.</summary>
/// <param name="instances">Where the instances of services come from.</param>
/// <param name="detector">Finds out whether its one operation blocks threads; <c>null</c> where that is not wanted, and any operation may run.</param>
internal sealed class InlineExecutor(ServiceInstances instances, BlockingDetector? detector = null) : IExecutor
{
    public bool NeedsServices(Service service) => instances.NeedsServices(service);

    public ValueTask RunAsync(Call call, in CallRequest request)
    {
        var instance = instances.Get(call.Operation.Service, request.Services!, out var isOwned);
        if (request.HoldsResult)
        {
            return RunHeldAsync(call, instance, isOwned, request.CancellationToken);
        }

        return !isOwned || instance is not (IDisposable or IAsyncDisposable)
            ? InvokeAsync(call, instance, request.CancellationToken)
            : RunOwnedAsync(call, instance, request.CancellationToken);
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) =>
        RunStreamAsync(call, pump, request.Services!, request.CancellationToken);

    private ValueTask InvokeAsync(Call call, object instance, CancellationToken cancellationToken)
    {
        if (detector is null)
        {
            return call.InvokeAsync(instance, cancellationToken);
        }

        var run = detector.Begin();
        try
        {
            return call.InvokeAsync(instance, cancellationToken);
        }
        finally
        {
            detector.End(run);
        }
    }

    // A producer that only blocks never awaits: it stays in here.
    private ValueTask PumpAsync(IStreamPump pump, ItemSource source, CancellationToken cancellationToken)
    {
        if (detector is null)
        {
            return pump.PumpAsync(source, cancellationToken);
        }

        var run = detector.Begin();
        try
        {
            return pump.PumpAsync(source, cancellationToken);
        }
        finally
        {
            detector.End(run);
        }
    }

    private async ValueTask RunOwnedAsync(Call call, object instance, CancellationToken cancellationToken)
    {
        try
        {
            await InvokeAsync(call, instance, cancellationToken);
        }
        finally
        {
            await ServiceInstance.DisposeAsync(instance);
        }
    }

    private async ValueTask RunHeldAsync(Call call, object instance, bool isOwned, CancellationToken cancellationToken)
    {
        try
        {
            await InvokeAsync(call, instance, cancellationToken);
        }
        catch
        {
            if (isOwned)
            {
                await ServiceInstance.DisposeAsync(instance);
            }

            throw;
        }

        if (call.Hold(new HeldResult(call.Result, isOwned ? instance : null), HeldResult.Disposed(call.Result)) is { } unused)
        {
            await unused.DisposeAsync();
        }
    }

    private async ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, IServiceProvider services, CancellationToken cancellationToken)
    {
        var instance = instances.Get(call.Operation.Service, services, out var isOwned);
        try
        {
            await InvokeAsync(call, instance, cancellationToken);
            await using var source = call.Source
                ?? throw new InvalidOperationException($"{call.Operation} returned a blocking source, which only the lane may run.");
            await PumpAsync(pump, source, cancellationToken);
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
