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

    // 1. A place and the arguments, in one event where there is room; who has to wait writes them when it has a place. 2. A
    // worker, now or later. False when it did not come so far: the call has its ending. After true it may have one as well, behind
    // the items of a stream. The arguments are written on the caller's own flow.
    private async ValueTask<bool> EnterAsync(PoolCall call)
    {
        call.Token.ThrowIfCancellationRequested();
        call.Time = events.TimeOf(call.Call.Operation);
        var isWritten = events.HasRoom;
        CallState state;
        if (isWritten)
        {
            Write(call);
            state = events.Enter(call);
        }
        else
        {
            state = events.Arrive(call);
        }

        call.ListenForLeaving(events, spec.Time);
        if (state == CallState.Waiting)
        {
            await call.Admission;
        }
        else if (isWritten)
        {
            return state != CallState.Ended;
        }

        if (call.HasEnding)
        {
            return false;
        }

        try
        {
            if (!isWritten)
            {
                Write(call);
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

    private void Write(PoolCall call)
    {
        var length = call.WriteArguments();
        if (length > spec.Options.PayloadLimitBytes)
        {
            throw events.Endings.ArgumentsTooLarge(call.Call.Operation, length);
        }
    }
}
