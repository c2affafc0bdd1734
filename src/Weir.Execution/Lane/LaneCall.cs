using System.Threading.Tasks.Sources;

namespace Weir.Execution.Lanes;

/// <summary>
/// One call on its way over the lane. Its caller awaits it here; the continuation always runs on the thread pool, never
/// on a lane thread.
/// </summary>
internal sealed class LaneCall : LaneWork, IValueTaskSource
{
    private readonly Lane _lane;
    private readonly Call _call;
    private readonly IStreamPump? _pump;
    private readonly IServiceProvider _services;
    private readonly CancellationToken _cancellationToken;
    private readonly ExecutionContext? _flow = ExecutionContext.Capture();

    private ManualResetValueTaskSourceCore<bool> _ending = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _leaving;

    internal LaneCall(Lane lane, Call call, IStreamPump? pump, in ExecutionRequest request)
    {
        _lane = lane;
        _call = call;
        _pump = pump;
        _services = request.Services;
        _cancellationToken = request.CancellationToken;
    }

    /// <summary>Ends when the call has; a caller who leaves while it is still queued takes it out of the queue.</summary>
    internal ValueTask WhenEndedAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _leaving = cancellationToken.UnsafeRegister(static state => ((LaneCall)state!).Leave(), this);
        }

        return new ValueTask(this, _ending.Version);
    }

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

    internal override void Reject(CallRejectedException reason) => _ending.SetException(reason);

    void IValueTaskSource.GetResult(short token)
    {
        _leaving.Dispose();
        _ending.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _ending.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _ending.OnCompleted(continuation, state, token, flags);

    private void Leave()
    {
        if (_lane.TryRemove(this))
        {
            _ending.SetException(new OperationCanceledException(_cancellationToken));
        }
    }

    private void Run()
    {
        try
        {
            RunCall();
        }
        catch (Exception error)
        {
            // The caller learns of it, whatever it is; the thread goes on.
            _ending.SetException(error);
            return;
        }

        _ending.SetResult(true);
    }

    private void RunCall()
    {
        _cancellationToken.ThrowIfCancellationRequested();
        var service = _call.Operation.Service;
        var instance = service.GetInstance(_services);
        try
        {
            // A blocking operation has finished when this returns; an asynchronous one here is waited for.
            var running = _call.InvokeAsync(instance, _cancellationToken);
            if (!running.IsCompletedSuccessfully)
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
        }
        finally
        {
            if (!service.IsShared)
            {
                ServiceInstance.Dispose(instance);
            }
        }
    }
}
