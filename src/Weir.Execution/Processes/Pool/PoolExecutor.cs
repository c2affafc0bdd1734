namespace Weir.Execution.Processes;

/// <summary>Runs calls in the workers of one pool. Arguments and results are copied.</summary>
internal sealed class PoolExecutor(PoolSpec spec, PoolEvents events) : IExecutor
{
    public ValueTask RunAsync(Call call, in ExecutionRequest request) => RunAsync(new PoolCall(call, request));

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request) =>
        RunAsync(new PoolStream(call, request, events, spec.Options.StallTimeout, spec.Time), pump);

    private async ValueTask RunAsync(PoolCall call)
    {
        using (call)
        {
            await EnterAsync(call);
            await call.Ending;
        }
    }

    private async ValueTask RunAsync(PoolStream call, IStreamPump pump)
    {
        using (call)
        {
            if (!await EnterAsync(call))
            {
                // Rejected, or cancelled on the way: there is no source.
                await call.Ending;
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

    // 1. A place. 2. The arguments, written on the caller's own flow. 3. A worker, now or later. False when it did not come so
    // far: the call has its ending. After true it may have one as well, behind the items of a stream.
    private async ValueTask<bool> EnterAsync(PoolCall call)
    {
        call.Token.ThrowIfCancellationRequested();
        var state = events.Arrive(call);
        call.ListenForLeaving(events, spec.Time);
        if (state == CallState.Waiting)
        {
            await call.Admission;
        }

        if (call.HasEnding)
        {
            return false;
        }

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
            return false;
        }

        events.Submit(call);
        return true;
    }
}
