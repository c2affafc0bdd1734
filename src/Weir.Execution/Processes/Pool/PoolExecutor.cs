using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>Runs calls in the workers of one pool. Arguments and results are copied. Used concurrently.</summary>
internal sealed class PoolExecutor(PoolSpec spec, PoolEvents events) : IExecutor
{
    private readonly ReusePool<PoolCall> _kept = new();

    public bool UsesServices => false;

    public ValueTask RunAsync(Call call, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        var entering = _kept.TryRent() ?? new PoolCall(this);
        entering.Begin(call, request);
        if (request.Batch is { } batch)
        {
            batch.Hold(this, entering);
        }
        else
        {
            Enter(entering);
        }

        // From here on the entry is the pool's, and may stand for another call already.
        return call.WhenEnded;
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        return RunAsync(new PoolStream(this, call, request, events, spec.Options.StallTimeout, spec.Time), pump);
    }

    /// <summary>A call that has a place writes its arguments, and gets a worker now or later.</summary>
    public void Submit(PoolCall call)
    {
        try
        {
            var length = call.WriteArguments();
            if (length > spec.Options.PayloadLimitBytes)
            {
                throw events.Endings.ArgumentsTooLarge(call.Call.Operation, length);
            }
        }
        catch (Exception failure)
        {
            // Its place is for somebody else; a caller that left meanwhile has its ending already.
            events.Leave(call, default, failure);
            return;
        }

        var stream = call as PoolStream;
        events.Submit(call);
        stream?.OnEntered();
    }

    /// <summary>The token of a call's caller has fired, for its leaving or for its deadline.</summary>
    public void Leave(PoolCall call)
    {
        var reason = call.Deadline <= spec.Time.GetTimestamp() ? CancelReason.Deadline : CancelReason.Caller;
        events.Leave(call, reason, new OperationCanceledException(call.Token));
    }

    /// <summary>Keeps the entry of a call that has ended, for another call.</summary>
    public void Keep(PoolCall call) => _kept.Return(call);

    private async ValueTask RunAsync(PoolStream call, IStreamPump pump)
    {
        using (call)
        {
            Enter(call);
            if (!await call.Entered)
            {
                // Rejected, or cancelled on the way: there is no source.
                await call.Call.WhenEnded;
            }

            try
            {
                await pump.PumpAsync(call.Source, call.Token);
            }
            finally
            {
                await call.Source.DisposeAsync();
            }
        }
    }

    /// <summary>Brings a call to the pool.</summary>
    // 1. A place, or a turn among those who wait for one. 2. The caller's leaving is heard. 3. The arguments, and a worker.
    public void Enter(PoolCall call)
    {
        var state = events.Arrive(call);
        if (state is not (CallState.Admitted or CallState.Waiting))
        {
            return;
        }

        call.ListenForLeaving();
        if (!call.HasEnding && (state == CallState.Admitted || call.Wait()))
        {
            Submit(call);
        }
    }
}
