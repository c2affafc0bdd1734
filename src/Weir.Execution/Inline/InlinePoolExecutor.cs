using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Runtime;

namespace Weir.Execution.Inline;

/// <summary>Runs isolated calls in the host with the services of their pool. A call sees of its surroundings what it would see in a worker.</summary>
/// <param name="pool">The pool.</param>
/// <param name="onLane">Whether its one operation may block because it waits for items.</param>
internal sealed class InlinePoolExecutor(InlinePool pool, bool onLane) : IExecutor
{
    /// <summary>Not those of the application.</summary>
    public bool NeedsServices(Service service) => false;

    public ValueTask RunAsync(Call call, in CallRequest request) => RunAsync(call, null, request);

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) => RunAsync(call, pump, request);

    private async ValueTask RunAsync(Call call, IStreamPump? pump, CallRequest request)
    {
        var services = await pool.BeginAsync(request.CancellationToken);
        var isHeld = false;
        try
        {
            var scope = services.Open(call.Operation.Service, out var provider);
            try
            {
                await RunInScopeAsync(call, pump, onLane ? services.Lane : services.Inline, request with { Services = provider });
                if (request.HoldsResult && HeldResult.Disposed(call.Result) is { } content)
                {
                    // Content is read after the call: until it is released it needs its instance, the scope and the pool.
                    var held = new HeldScope(scope, pool);
                    (scope, isHeld) = (null, true);
                    await held.HoldAsync(call, content);
                }
            }
            finally
            {
                if (scope is { } made)
                {
                    await made.DisposeAsync();
                }
            }
        }
        finally
        {
            if (!isHeld)
            {
                pool.End();
            }
        }
    }

    private async ValueTask RunInScopeAsync(Call call, IStreamPump? pump, IExecutor executor, CallRequest request)
    {
        var host = call.Context;
        if (host is null || !call.Operation.UsesContext)
        {
            await ExecuteAsync(call, pump, executor, request);
            return;
        }

        var own = ToWorkers(host, request);
        call.Context = own;
        try
        {
            await ExecuteAsync(call, pump, executor, request);
        }
        finally
        {
            call.Context = host;
            CopyAnswer(own, host);
        }
    }

    // The context that the operation would have in a worker: with its services, without the transport, and with the items that are text.
    private OperationContext ToWorkers(OperationContext host, in CallRequest request)
    {
        var own = new OperationContext(host.Call, request.Services!, request.CancellationToken, host.Deadline)
        {
            User = pool.SendsCaller ? SentCaller.Copy(host) : null,
            OnJobProgress = request.Job is { } job ? progress => job.Report(progress.Fraction, progress.Text) : null,
        };
        CopyAnswer(host, own);
        if (host.HasItems)
        {
            foreach (var (key, value) in host.Items)
            {
                if (key is string && value is string)
                {
                    own.Items[key] = value;
                }
            }
        }

        return own;
    }

    private static void CopyAnswer(OperationContext from, OperationContext to)
    {
        to.StatusCode = from.StatusCode;
        if (from.HasHeaders)
        {
            foreach (var (name, value) in from.Headers)
            {
                to.Headers[name] = value;
            }
        }
    }

    private static ValueTask ExecuteAsync(Call call, IStreamPump? pump, IExecutor executor, in CallRequest request) =>
        pump is null ? executor.RunAsync(call, request) : executor.RunStreamAsync((StreamCall)call, pump, request);
}
