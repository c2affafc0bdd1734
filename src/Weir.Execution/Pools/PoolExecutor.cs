using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools;

/// <summary>Runs calls in the workers of one pool. Arguments and results are copied. Used concurrently.</summary>
internal sealed class PoolExecutor(PoolDefinition spec, PoolCore events) : IExecutor, IPoolCallOwner, IGroupExecutor<PoolCall>
{
    // The pool's lock is held for so many decisions at the most.
    private const int MostAtOnce = 64;

    // Bytes of encoded arguments that a caller may bring although it has to wait for a place: bytes by themselves are not copied.
    private const int MostKeptWaiting = 1024;

    private readonly ObjectPool<PoolCall> _kept = new();

    public bool UsesServices => false;

    public CallExceptions Endings => events.Endings;

    public ValueTask RunAsync(Call call, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        var entering = _kept.TryRent() ?? new PoolCall(this);
        entering.Begin(call, request);
        if (request.Group?.TryAdd(this, entering) != true)
        {
            Enter(entering);
        }

        // From here on the entry is the pool's, and may stand for another call already.
        return call.WhenEnded;
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        return RunAsync(new PoolStream(this, call, request, spec.Options.StallTimeout, spec.Time), pump);
    }

    /// <summary>A call that has a place writes its arguments, and gets a worker now or later.</summary>
    public void Submit(PoolCall call)
    {
        if (TryWrite(call) is { } failure)
        {
            Fail(call, failure);
            return;
        }

        var stream = call as PoolStream;
        events.Submit(call);
        stream?.OnEntered();
    }

    /// <summary>A call fails before it is submitted. Its place is for somebody else; a caller that left meanwhile has its ending already.</summary>
    public void Fail(PoolCall call, Exception failure) => events.Leave(call, default, failure);

    public void ReportFailure(Exception failure, string work) => events.ReportFailure(failure, work);

    /// <summary>Writes the arguments of a call that has a place.</summary>
    /// <returns>What went wrong; <c>null</c> when they are written.</returns>
    public Exception? TryWrite(PoolCall call)
    {
        try
        {
            Write(call);
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    /// <summary>The token of a call's caller has fired, for its leaving or for its deadline.</summary>
    public void Leave(PoolCall call)
    {
        var reason = call.IsLate(spec.Time) ? CancelReason.Deadline : CancelReason.Caller;
        events.Leave(call, reason, new OperationCanceledException(call.Token));
    }

    public void Leave(PoolCall call, CancelReason reason, Exception ending) => events.Leave(call, reason, ending);

    public void Grant(PoolStream stream, uint bytes) => events.View.WorkerOf(stream, out var callId)?.Grant(callId, bytes);

    /// <summary>What will send the items of a call's streamed request.</summary>
    /// <exception cref="ArgumentNullException">There are none.</exception>
    public RequestSender SenderOf(Call call) => new(call, spec.Options.PayloadLimitBytes, events.Endings);

    /// <summary>A call ends otherwise than well: counts how.</summary>
    public void Note(Exception failure, CancelReason reason) => events.Tally.Failed(failure, reason);

    /// <summary>Keeps the entry of a call that has ended, for another call.</summary>
    public void Keep(PoolCall call) => _kept.Return(call);

    private async ValueTask RunAsync(PoolStream call, IStreamPump pump)
    {
        using (call)
        {
            Enter(call);
            // Told by the worker's reader, which posts to nobody's synchronization context.
            if (!await call.Entered.ConfigureAwait(false))
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

    // 1. The arguments, where a place is likely or writing them costs next to nothing. 2. The caller's leaving is heard. 3. A place
    // and a worker, or a turn among those who wait: all in one event for whom the arguments are written.
    private void Enter(PoolCall call)
    {
        call.Time = events.TimeOf(call.Call.Operation);
        if (TryWriteAhead(call))
        {
            call.ListenForLeaving();
            var stream = call as PoolStream;
            if (events.Enter(call) != CallState.Ended)
            {
                stream?.OnEntered();
            }

            return;
        }

        call.ListenForLeaving();
        var state = events.Arrive(call);
        if (state == CallState.Admitted || state == CallState.Waiting && call.Wait())
        {
            Submit(call);
        }
    }

    private bool TryWriteAhead(PoolCall call)
    {
        var hasRoom = events.HasRoom;
        if (!hasRoom && !call.Call.Operation.HasPlainArguments)
        {
            return false;
        }

        Write(call);
        if (!hasRoom && call.Arguments.Values.Length > MostKeptWaiting)
        {
            call.ForgetArguments();
        }

        return call.IsWritten;
    }

    /// <summary>
    /// Brings many calls to the pool, a few events for all. Their arguments are written first, whether or not there is a place:
    /// whoever brings them bounds how many there are.
    /// </summary>
    public void StartAll(Span<PoolCall> calls)
    {
        var count = 0;
        foreach (var call in calls)
        {
            try
            {
                call.Time = events.TimeOf(call.Call.Operation);
                Write(call);
                call.ListenForLeaving();
                calls[count++] = call;
            }
            catch (Exception failure)
            {
                call.Fail(failure);
            }
        }

        for (var rest = calls[..count]; !rest.IsEmpty; rest = rest[Math.Min(MostAtOnce, rest.Length)..])
        {
            events.EnterAll(rest[..Math.Min(MostAtOnce, rest.Length)]);
        }
    }

    private void Write(PoolCall call)
    {
        var length = call.WriteArguments();
        if (length > spec.Options.PayloadLimitBytes)
        {
            throw events.Endings.ArgumentsTooLarge(call.Call.Operation, length);
        }

        if (events.ComparesCalls)
        {
            // Here rather than under the pool's lock, which takes the fingerprints of those that came before.
            _ = call.Fingerprint;
        }
    }
}
