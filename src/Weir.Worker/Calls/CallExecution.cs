using System.Security.Claims;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Start;

namespace Weir.Worker.Calls;

/// <summary>
/// Runs one call from its CALL to its outcome, then another one: it keeps everything a call needs and is reused. The data thread
/// begins a call; the call runs once, on the thread that its mode selects.
/// </summary>
internal sealed class CallExecution : IThreadPoolWorkItem
{
    // Takes the place of the buffer when the call has ended.
    private static readonly byte[] Over = [];

    private readonly CallServices _environment;
    private readonly FrameArgumentReader _arguments = new();
    private readonly CallResponse _answer;

    // State of the call that runs.
    private OperationHost _target = null!;
    private byte[]? _rented;
    private CallParts _parts;
    private ResultEncoding _wished;
    private string? _traceParent;
    private string? _traceState;
    private CallContext? _context;
    private ClaimsPrincipal? _caller;
    private CallProgress? _progress;

    public CallExecution(CallServices environment)
    {
        _environment = environment;
        _answer = new CallResponse(environment);
        Stop = new CallCancellation(environment.Time, CallbackFailed);
    }

    public ulong CallId { get; private set; }

    public CallMode Mode { get; private set; }

    public CallCancellation Stop { get; }

    /// <summary>The credit for its items; <c>null</c> for a call that does not stream its result.</summary>
    public StreamCredit? Credit { get; private set; }

    /// <summary>Receives the items that the caller streams; <c>null</c> for a call without a streamed request.</summary>
    public FrameItemReader? Items { get; private set; }

    /// <summary>When it was started, in nanoseconds. Owned by <see cref="CallTable"/>.</summary>
    public ulong StartedAt { get; set; }

    /// <summary>Assigns a call to this object.</summary>
    /// <param name="callId">The call's id.</param>
    /// <param name="target">The operation.</param>
    /// <param name="mode">Where it will run.</param>
    /// <param name="fields">The CALL.</param>
    /// <param name="payload">Its payload in the reader's buffer: copied, unless <paramref name="mode"/> is <see cref="CallMode.Inline"/>.</param>
    /// <exception cref="FrameException">The payload is not a valid CALL of this operation.</exception>
    public void Begin(ulong callId, OperationHost target, CallMode mode, CallPayload fields, ReadOnlyMemory<byte> payload)
    {
        _target = target;
        _rented = null;
        CallId = callId;
        Mode = mode;
        if (mode != CallMode.Inline)
        {
            _rented = BoundedArrayPool.Rent(Math.Max(1, payload.Length));
            payload.CopyTo(_rented);
            fields = CallPayload.Read(_rented.AsMemory(0, payload.Length));
        }

        _parts = fields.Parts;
        _wished = fields.ResultEncoding;
        _traceParent = fields.TraceParentText();
        _traceState = fields.TraceStateText();
        Credit = target.Operation.ResultKind is ResultKind.Stream or ResultKind.Raw ? new StreamCredit(fields.InitialCredit) : null;
        Items = target.Operation.StreamsRequest ? new FrameItemReader(callId, _environment.Output, target.Operation.ContentParameter?.Source) : null;
        Stop.Begin(fields.RemainingMilliseconds);
        foreach (var part in _parts)
        {
            if (part.Kind == PartKind.Context)
            {
                _context = CallContext.Read(part.Bytes.Span);
            }
            else if (part.Kind == PartKind.Caller)
            {
                _caller = CallerPayload.Read(part.Bytes.Span);
            }
            else if (part.Kind == PartKind.Raw && part.Parameter >= target.Operation.Parameters.Count)
            {
                throw new FrameException(FrameError.MalformedPayload, $"a raw part is for parameter {part.Parameter} of {target.Operation}, which has {target.Operation.Parameters.Count}");
            }
        }
    }

    /// <summary>Runs the call on the thread that its mode selects.</summary>
    /// <returns><c>false</c> when it was begun here and continues elsewhere: <see cref="Keep"/> the buffer of its arguments.</returns>
    public bool Start()
    {
        switch (Mode)
        {
            case CallMode.Inline:
                return RunHere();
            case CallMode.Pumped:
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                return true;
            default:
                new Thread(() => Run()) { Name = $"weir-call-{CallId}", IsBackground = true }.UnsafeStart();
                return true;
        }
    }

    /// <summary>Keeps the buffer of the arguments until the call has ended; it may have ended already.</summary>
    public void Keep(byte[] memory)
    {
        if (Interlocked.CompareExchange(ref _rented, memory, null) is not null)
        {
            BoundedArrayPool.Return(memory);
        }
    }

    void IThreadPoolWorkItem.Execute() => Run();

    /// <summary>Releases a call that will not be started.</summary>
    public void Drop() => Rest();

    // This thread also runs calls of other callers: they must not see what this call has set on the execution context.
    private bool RunHere()
    {
        var context = ExecutionContext.Capture();
        var hasEnded = Run();
        SynchronizationContext.SetSynchronizationContext(null);
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        return hasEnded;
    }

    // False when the call continues elsewhere. A call that waits for nothing completes here, without a state machine.
    private bool Run()
    {
        if (_environment.HasLoggers)
        {
            CurrentCall.Id = CallId;
        }

        if (_context is { Culture: not null } context)
        {
            CallCulture.Set(context, _environment, CallId, _target.Operation);
        }

        Exception? failure = null;
        try
        {
            if (Stop.IsCancelled)
            {
                throw new OperationCanceledException(Stop.Token);
            }

            if (!Stop.IsPastDeadline)
            {
                var executing = Execute();
                if (!executing.IsCompletedSuccessfully)
                {
                    FinishAsync(executing);
                    return false;
                }

                executing.GetAwaiter().GetResult();
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
        }

        Finish(failure);
        return true;
    }

    // An exception that this method throws is a defect of the worker and ends the process.
    private async void FinishAsync(ValueTask executing)
    {
        Exception? failure = null;
        try
        {
            await executing;
        }
        catch (Exception thrown)
        {
            failure = thrown;
        }

        Finish(failure);
    }

    private void Finish(Exception? failure)
    {
        if (TrySendOutcome(failure))
        {
            _environment.Calls.End(this);
            Rest();
        }
    }

    // Step 7 of an isolated call (docs/architecture.md): 1. Bind. 2. Make the instance. 3. Invoke. 4. Encode the result, or send the items. 5. Dispose.
    private ValueTask Execute()
    {
        var operation = _target.Operation;
        var call = operation.RentCall();
        call.Bind(_arguments.Read(_parts, operation.Parameters));
        _arguments.Errors.ThrowIfAny();
        if (Items is { } items)
        {
            if (operation.ContentParameter is not null)
            {
                items.EndWith(Stop.Token);
            }

            call.TakeItems(items);
        }

        var lease = _target.Service.Open();
        if (!lease.IsFree || _traceParent is not null || operation.UsesContext || Credit is not null || Items is not null || Stop.Deadline is not null)
        {
            return ExecuteAsync(call, lease);
        }

        var invoking = call.InvokeAsync(lease.Instance, operation.IgnoresCancellation ? default : Stop.Token);
        if (!invoking.IsCompletedSuccessfully)
        {
            return EncodeAsync(invoking, call);
        }

        invoking.GetAwaiter().GetResult();
        Encode(call);
        return default;
    }

    private async ValueTask EncodeAsync(ValueTask invoking, Call call)
    {
        await invoking;
        Encode(call);
    }

    private void Encode(Call call)
    {
        _answer.Encode(call, _wished);
        call.Return();
    }

    // The same for a call with a trace, a deadline, a context, something to dispose, or items in either direction.
    private async ValueTask ExecuteAsync(Call call, ServiceLease lease)
    {
        using var trace = TraceScope.Start(_target.Operation.FullName, _traceParent, _traceState, _context);
        if (Stop.Remaining is { } remaining)
        {
            // For the calls that the operation makes itself. The value ends with this method.
            AmbientDeadline.Set(remaining);
        }

        Exception? failure = null;
        try
        {
            if (_target.Operation.UsesContext)
            {
                // One for each call: code may keep the job's context longer than its call.
                _progress = _environment.Progress is { } output && _context?.IsOfJob == true ? new CallProgress(output, _environment.Time, CallId) : null;
                call.Context = new OperationContext(call, lease.Services, Stop.Token, Stop.Deadline) { User = _caller, OnJobProgress = _progress is null ? null : _progress.Report };
                foreach (var (key, text) in _context?.Items ?? [])
                {
                    call.Context.Items[key] = text;
                }
            }

            await call.OpenContentAsync(Stop.Token);
            await call.InvokeAsync(lease.Instance, Stop.Token);
            if (call is StreamCall stream)
            {
                await new ItemSender(this, _answer).SendAllAsync(stream);
            }
            else if (_target.Operation.ResultKind == ResultKind.Raw)
            {
                await new ContentSender(this, _answer, RequestConditions.ReadFrom(_context?.Items)).SendAllAsync(call);
            }
            else
            {
                Encode(call);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
            throw;
        }
        finally
        {
            await DisposeAsync(lease, failure);
        }
    }

    /// <summary>Disposes. If that throws, a call that had succeeded fails; for a call that had failed, the exception is only logged.</summary>
    internal async ValueTask DisposeAsync<T>(T disposable, Exception? failure)
        where T : IAsyncDisposable
    {
        try
        {
            await disposable.DisposeAsync();
        }
        catch (Exception thrown) when (failure is not null)
        {
            WorkerLogMessages.DisposeFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
        }
    }

    /// <summary>The same, synchronously, for a call that blocks its thread.</summary>
    internal void Dispose(IDisposable disposable, Exception? failure)
    {
        try
        {
            disposable.Dispose();
        }
        catch (Exception thrown) when (failure is not null)
        {
            WorkerLogMessages.DisposeFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
        }
    }

    // False when the process ends instead.
    private bool TrySendOutcome(Exception? failure)
    {
        if (failure is not null && CallFailure.IsOutOfMemory(failure))
        {
            _environment.Fatal.OutOfMemory(CallId);
            return false;
        }

        try
        {
            Items?.Close();
            _progress?.End();
            _answer.End(CallId, failure, Stop);
            if (!_environment.Output.Outlives || Environment.CurrentManagedThreadId != _environment.DataThread)
            {
                // Only the data thread sends its results later, when no more frames are there; every other thread sends them here.
                _environment.Output.Flush();
            }

            return true;
        }
        catch (ChannelEndedException)
        {
            _environment.Fatal.HostGone();
        }
        catch (FrameException violation)
        {
            // The host wrote an impossible value to the shared memory. Any thread may find it.
            _environment.Fatal.HostBroke(violation);
        }
        catch (OutOfMemoryException)
        {
            _environment.Fatal.OutOfMemory(CallId);
        }

        return false;
    }

    // Called when nothing refers to the call any more, and no thread uses this object for this call.
    private void Rest()
    {
        Stop.End();
        _answer.Clear();
        _arguments.Clear();
        _parts = default;
        _context = null;
        _caller = null;
        _progress = null;
        Credit = null;
        Items = null;
        if (Interlocked.Exchange(ref _rented, Over) is { } rented)
        {
            BoundedArrayPool.Return(rented);
        }

        _environment.ReturnRun(this);
    }

    private void CallbackFailed(Exception thrown) =>
        WorkerLogMessages.CancellationCallbackFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
}
