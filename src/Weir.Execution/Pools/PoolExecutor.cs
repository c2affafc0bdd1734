using Weir.Execution.Diagnostics;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools;

/// <summary>Runs calls in the workers of one pool. Arguments and results are copied. Used concurrently.</summary>
internal sealed class PoolExecutor(PoolDefinition definition, PoolCore events) : IExecutor, IPoolCallOwner, IGroupExecutor<PoolCall>
{
    // The most calls that enter the pool while its lock is held once.
    private const int MostAtOnce = 64;

    // The most bytes of encoded arguments that a call keeps while it waits for a place. Raw bytes do not count: they are not copied.
    private const int MostKeptWaiting = 1024;

    // Each may keep 64 KB for arguments: fewer than the calls of a lane, which keep none.
    private readonly ObjectPool<PoolCall> _kept = new(mostQueued: 256);

    // Read for every call, so not looked up in the options. A reload changes neither.
    private readonly int _payloadLimit = definition.Options.PayloadLimitBytes;
    private readonly TimeSpan? _stallTimeout = definition.Options.StallTimeout;

    public bool NeedsServices(Service service) => false;

    public CallExceptions Exceptions => events.Exceptions;

    public ValueTask RunAsync(Call call, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        var entering = _kept.TryRent() ?? new PoolCall(this);
        entering.Begin(call, request);
        entering.Observe();
        if (request.Group?.TryAdd(this, entering) != true)
        {
            Enter(entering);
        }

        // From here on the pool owns the entry, and may already have reused it for another call.
        return call.WhenEnded;
    }

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request)
    {
        request.CancellationToken.ThrowIfCancellationRequested();
        return RunAsync(new PoolStream(this, call, request, _stallTimeout, definition.Time), pump);
    }

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

    public void Fail(PoolCall call, Exception failure) => events.Cancel(call, default, failure);

    public void ReportFailure(Exception failure, string work) => events.ReportFailure(failure, work);

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

    public void Cancel(PoolCall call)
    {
        var reason = call.IsLate(definition.Time) ? CancelReason.Deadline : CancelReason.Caller;
        events.Cancel(call, reason, new OperationCanceledException(call.Token));
    }

    public void Cancel(PoolCall call, CancelReason reason, Exception outcome) => events.Cancel(call, reason, outcome);

    public void Grant(PoolStream stream, uint bytes) => events.View.WorkerOf(stream, out var callId)?.Grant(callId, bytes);

    /// <summary>Creates the sender of the items of a call's streamed request.</summary>
    /// <exception cref="ArgumentNullException">There are no items.</exception>
    public RequestSender SenderOf(Call call) => new(call, _payloadLimit, events.Exceptions);

    public CallObservation Observe(Operation operation) => CallObservation.Begin(operation, events.Tally, definition.Time);

    public void Note(Exception failure, CancelReason reason) => events.Tally.Failed(failure, reason);

    public void Keep(PoolCall call) => _kept.Return(call);

    private async ValueTask RunAsync(PoolStream call, IStreamPump pump)
    {
        using (call)
        {
            Enter(call);
            // The worker's reader completes it; it must not post to a caller's synchronization context.
            if (!await call.Entered.ConfigureAwait(false))
            {
                // Rejected, or cancelled before it entered the pool: there is no source.
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

    // 1. Write the arguments, if a place is likely or writing them costs almost nothing. 2. Register for the caller's cancellation.
    // 3. Get a place and a worker, or a position among the waiting calls: in one event if the arguments are written.
    private void Enter(PoolCall call)
    {
        call.Time = events.TimeOf(call.Call.Operation);
        bool isWritten;
        try
        {
            isWritten = TryWriteBeforeAdmission(call);
        }
        catch (Exception failure)
        {
            // The outcome of a call that did not enter the pool: counted and observed like any other.
            call.Fail(failure);
            return;
        }

        if (isWritten)
        {
            call.ObserveCancellation();
            var stream = call as PoolStream;
            if (events.Enter(call) != CallState.Ended)
            {
                stream?.OnEntered();
            }

            return;
        }

        call.ObserveCancellation();
        var state = events.Arrive(call);
        if (state == CallState.Admitted || state == CallState.Waiting && call.Wait())
        {
            Submit(call);
        }
    }

    private bool TryWriteBeforeAdmission(PoolCall call)
    {
        var hasSpace = events.HasSpace;
        if (!hasSpace && !call.Call.Operation.HasPlainArguments)
        {
            return false;
        }

        Write(call);
        if (!hasSpace && call.Arguments.Values.Length > MostKeptWaiting)
        {
            call.ForgetArguments();
        }

        return call.IsWritten;
    }

    /// <summary>
    /// Brings many calls to the pool with few events. Their arguments are written first, whether or not there is a place:
    /// the caller of this method limits how many calls there are.
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
                call.ObserveCancellation();
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
        if (length > _payloadLimit)
        {
            throw events.Exceptions.ArgumentsTooLarge(call.Call.Operation, length);
        }

        if (events.ComparesCalls)
        {
            // Computed here rather than under the pool's lock, where it is only computed for calls that came before comparing began.
            _ = call.Fingerprint;
        }
    }
}
