using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir.Execution.Lanes;

/// <summary>
/// One call that runs on the lane. Its caller awaits the call itself; the caller's continuation runs on the thread pool, never on a lane
/// thread. An instance whose call succeeded, and whose cancellation callback can no longer run, is reused.
/// </summary>
internal sealed class LaneCall(LaneExecutor executor) : LaneWork, ICancellationCallback
{
    private Call _call = null!;
    private IStreamPump? _pump;
    private IServiceProvider _services = null!;
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _leaving;
    private ExecutionContext? _flow;
    private bool _holdsResult;
    private Action? _onAssigned;
    private RecordedCall? _recorded;
    private int _recordedVersion;

    /// <summary>Takes a call, and registers for its cancellation: while the call is still queued, a cancellation removes it from the queue.</summary>
    internal void Begin(Call call, IStreamPump? pump, in CallRequest request)
    {
        _call = call;
        _pump = pump;
        _services = request.Services!;
        _cancellationToken = request.CancellationToken;
        _holdsResult = request.HoldsResult;
        _onAssigned = request.OnAssigned;
        _recorded = request.Recorded;
        _recordedVersion = _recorded?.Version ?? 0;
        _flow = ExecutionContext.Capture();
        if (_cancellationToken.CanBeCanceled)
        {
            _leaving = Callbacks.Register(this, _cancellationToken);
        }
    }

    /// <summary>The lane did not accept it. A cancellation callback may still use it, so it is not reused.</summary>
    internal void Refuse() => _leaving.Unregister();

    internal override void Execute()
    {
        if (_flow is null)
        {
            Run();
        }
        else
        {
            ExecutionContext.Run(_flow, static state => ((LaneCall)state!).Run(), this);
        }
    }

    internal override void Reject(CallRejectedException reason)
    {
        _leaving.Unregister();
        _call.End(reason);
    }

    void ICancellationCallback.OnCancelled()
    {
        if (executor.Lane.TryRemove(this))
        {
            _call.End(new OperationCanceledException(_cancellationToken));
        }
    }

    void ICancellationCallback.OnCancelFailed(Exception failure) => _call.End(failure);

    private void Run()
    {
        var call = _call;
        Exception? failure = null;
        try
        {
            RunCall();
        }
        catch (Exception error)
        {
            // Any exception is passed to the caller; the thread continues.
            failure = error;
        }

        // If a cancellation callback has begun, this is not reused: the callback finds nothing to do, but it still refers to this.
        if ((_leaving.Unregister() || !_cancellationToken.CanBeCanceled) && failure is null)
        {
            Clear();
            executor.Keep(this);
        }

        call.End(failure);
    }

    private void RunCall()
    {
        _cancellationToken.ThrowIfCancellationRequested();
        _onAssigned?.Invoke();
        _recorded?.Assigned(_recordedVersion, 0);
        var instance = executor.Instances.Get(_call.Operation.Service, _services, out var isOwned);
        try
        {
            // A blocking operation has finished when this returns; for an asynchronous one the thread waits here.
            var running = _call.InvokeAsync(instance, _cancellationToken);
            if (running.IsCompletedSuccessfully)
            {
                running.GetAwaiter().GetResult();
            }
            else
            {
                running.AsTask().GetAwaiter().GetResult();
            }

            if (_call is StreamCall { BlockingSource: { } source })
            {
                using (source)
                {
                    _pump!.Pump(source, _cancellationToken);
                }
            }

            if (_holdsResult)
            {
                var held = new HeldResult(_call.Result, isOwned ? instance : null);
                isOwned = false;
                _call.Hold(held, HeldResult.Disposed(_call.Result))?.DisposeAsync().AsTask().GetAwaiter().GetResult();
            }
        }
        finally
        {
            if (isOwned)
            {
                ServiceInstance.Dispose(instance);
            }
        }
    }

    private void Clear()
    {
        _call = null!;
        _pump = null;
        _services = null!;
        _cancellationToken = default;
        _leaving = default;
        _flow = null;
        _holdsResult = false;
        _onAssigned = null;
        _recorded = null;
        HasLeft = false;
    }
}
