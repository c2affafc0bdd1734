using System.Diagnostics;
using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Threading;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// One call on its way through a pool: the entry of the pool's table, and the CALL that a worker gets. It is completed once, by the
/// pool's decision; its caller awaits the <see cref="Weir.Runtime.Call"/> itself. The entry of a call that a worker answered is
/// reused: after the answer nothing in the pool may refer to it. Every other entry is left to the garbage collector.
/// </summary>
/// <param name="owner">The pool that it enters.</param>
internal sealed class PoolCall(IPoolCallOwner owner) : CallEntry, IWorkItem, ICancellationCallback, IDisposable
{
    private const int PartHeaderSize = 8;

    // Bytes: a buffer for arguments that is larger does not stay with the entry.
    private const int LargestKept = 64 * 1024;

    private ResultEncoding _encoding;
    private CancellationTokenRegistration _leaving;
    private string? _traceParent;
    private string? _traceState;
    private CallContext? _context;
    private byte[]? _caller;
    private ExecutionContext? _flow;
    private int _steps;
    private volatile bool _hasOutcome;
    private ulong _fingerprint;

    private CallObservation _observation;
    private Action? _onAssigned;
    private RecordedCall? _recorded;
    private int _recordedVersion;
    private CancellationToken _token;

    /// <summary>The call; of an entry that is not in use, its last one.</summary>
    public Call Call { get; private set; } = null!;

    public override Operation Operation => Call.Operation;

    public override CancellationToken Token => _token;

    /// <summary>The <see cref="TimeProvider"/> timestamp at which the deadline passes; <c>null</c> means no limit.</summary>
    public long? Deadline { get; private set; }

    /// <summary>Written before the call is submitted, only read afterwards.</summary>
    public ArgumentWriter Arguments { get; } = new();

    /// <summary>Sends the items of a streamed request; <c>null</c> for most calls.</summary>
    public RequestSender? Request { get; private set; }

    /// <summary>Computed once. 0 once the caller has cancelled: the memory is its own again. Also 0 for a streamed request, whose items matter too.</summary>
    public override ulong Fingerprint => _fingerprint != 0 ? _fingerprint
        : IsCancelled || Request is not null ? 0
        : _fingerprint = ArgumentFingerprint.Of(Call.Operation, Arguments);

    /// <summary>Whether the call has its outcome.</summary>
    public bool HasOutcome => _hasOutcome;

    /// <summary>The items of its result; <c>null</c> unless that is a stream.</summary>
    public ItemPipe? Items { get; private set; }

    private bool HasValue => Items is null && Call.Operation.ResultKind != ResultKind.None;

    /// <summary>Begins with a call, on its caller's flow.</summary>
    /// <param name="call">The call.</param>
    /// <param name="request">Its deadline, its token, and what it waits for.</param>
    /// <exception cref="ArgumentNullException">Its request is a stream, and there are no items.</exception>
    /// <exception cref="PayloadTooLargeException">The claims of its caller are too large.</exception>
    public void Begin(Call call, in CallRequest request)
    {
        Call = call;
        Request = call.Operation.StreamsRequest ? owner.SenderOf(call) : null;
        IsStreamed = Request is not null;
        IsIdempotent = call.Operation.IsIdempotent;
        _token = request.CancellationToken;
        Admission = request.Admission;
        Retries = request.Retries;
        EndsWithItsCode = request.EndsWithItsCode;
        Job = request.Job;
        _onAssigned = request.OnAssigned;
        _recorded = request.Recorded;
        _recordedVersion = _recorded?.Version ?? 0;
        Deadline = request.DeadlineTimestamp;
        _encoding = call.Operation.ResultKind == ResultKind.Raw ? ResultEncoding.Raw : request.ResultEncoding;
        var current = Activity.Current;
        _context = CallSurroundings.Capture(call, current);
        _caller = (request.UserOf is not null || call.Caller is not null) && owner.SendsCaller ? SentCaller.Encode(call, request) : null;
        Trace(current);
    }

    /// <summary>Begins to observe the call, on its caller's flow. After <see cref="Begin"/>: where that throws, nothing would complete the spans.</summary>
    public void Observe()
    {
        _observation = owner.Observe(Call.Operation);
        Trace(_observation.Running);
    }

    /// <summary>Its result is a stream. Once, after <see cref="Observe"/>; the entry is not used for another call.</summary>
    /// <param name="stallTimeout">How long the consumer may take nothing while the worker waits for it; <c>null</c> for no limit.</param>
    /// <returns>The consumer's side.</returns>
    public ItemPipe OpenItems(TimeSpan? stallTimeout)
    {
        IsStreamed = true;
        return Items = new ItemPipe(owner, this, EndsWithItsCode ? null : stallTimeout);
    }

    /// <summary>Timers use another clock, in whole milliseconds: one may fire a little before the deadline.</summary>
    public override bool IsLate => Deadline <= owner.Time.GetTimestamp() + (owner.Time.TimestampFrequency / 50);

    /// <summary>Registers for the caller's token, which fires both when the caller cancels and when the deadline passes.</summary>
    public void ObserveCancellation()
    {
        if (!Token.CanBeCanceled)
        {
            return;
        }

        _leaving = Callbacks.Register(this, Token);

        // Either the completion sees the registration, or this sees the completion.
        Interlocked.MemoryBarrier();
        if (_hasOutcome)
        {
            _leaving.Unregister();
        }
    }

    /// <summary>The caller waits for a place, after it registered for cancellation. The call is not admitted before that.</summary>
    /// <returns>Whether the place was there already: then the caller continues itself.</returns>
    public bool Wait()
    {
        // The user's types are read on the caller's flow; where there are none, the thread that admits the call may write the arguments.
        _flow = Call.Operation.HasPlainArguments ? null : ExecutionContext.Capture();
        return IsSecond();
    }

    public override bool TryTakePlace()
    {
        if (!IsSecond())
        {
            return false;
        }

        if (Call.Operation.HasPlainArguments)
        {
            return true;
        }

        Callbacks.Queue(this);
        return false;
    }

    public override Exception? TryWrite()
    {
        try
        {
            Write();
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    /// <summary>Writes the arguments, before the call is submitted.</summary>
    /// <exception cref="PayloadTooLargeException">They take more than the pool's limit.</exception>
    public void Write()
    {
        var length = WriteArguments();
        if (length > owner.PayloadLimit)
        {
            throw owner.Reports.Exceptions.ArgumentsTooLarge(Call.Operation, length);
        }

        if (owner.Core.ComparesCalls)
        {
            // Computed here rather than under the pool's lock, where it is only computed for calls that came before comparing began.
            _ = Fingerprint;
        }
    }

    /// <summary>The call has a place: it writes its arguments, and gets a worker now or later. The code that calls this does not use the entry any more.</summary>
    public void Submit()
    {
        if (TryWrite() is { } failure)
        {
            // Its place becomes free; if its caller has cancelled before, the call has its outcome already.
            owner.Core.Cancel(this, default, failure);
            return;
        }

        owner.Core.Submit(this);
        OnEntered();
    }

    void ICancellationCallback.OnCancelled() =>
        owner.Core.Cancel(this, IsLate ? CancelReason.Deadline : CancelReason.Caller, new OperationCanceledException(Token));

    void ICancellationCallback.OnCancelFailed(Exception failure) => owner.Reports.CallbackFailed(failure, "cancelling a call");

    void IWorkItem.OnFailed(Exception failure) => owner.Core.Cancel(this, default, failure);

    void IWorkItem.Run()
    {
        if (_flow is null)
        {
            Submit();
        }
        else
        {
            ExecutionContext.Run(_flow, static state => ((PoolCall)state!).Submit(), this);
        }
    }

    /// <summary>Writes the arguments, once.</summary>
    /// <returns>The bytes they take in a frame; 0 when they were written before.</returns>
    public long WriteArguments()
    {
        if (IsWritten)
        {
            return 0;
        }

        IsWritten = true;
        Call.WriteArguments(Arguments);
        long length = CallPayload.FixedSize + (_traceParent?.Length ?? 0) + (_traceState?.Length ?? 0) + PartHeaderSize + Arguments.Values.Length;
        foreach (var part in Arguments.Raw)
        {
            length += PartHeaderSize + part.Bytes.Length;
        }

        length += _context is null ? 0 : PartHeaderSize + _context.Size;
        length += _caller is null ? 0 : PartHeaderSize + _caller.Length;
        Bytes = FrameHeader.Size + length;
        return length;
    }

    /// <summary>Drops written arguments again: the call waits, and they are too large to be kept for that time.</summary>
    public void ForgetArguments()
    {
        IsWritten = false;
        _fingerprint = 0;
        Arguments.Dispose();
    }

    /// <summary>Appends the CALL.</summary>
    /// <param name="frames">Where to.</param>
    /// <param name="callId">Its number on the worker's channel.</param>
    /// <param name="operation">The number of the operation in that worker.</param>
    /// <param name="takesContext">Whether the worker takes the surroundings of calls.</param>
    /// <param name="takesCaller">Whether it takes who makes them.</param>
    public void Write(FrameWriter frames, ulong callId, ushort operation, bool takesContext, bool takesCaller)
    {
        var fields = new CallFields(
            operation,
            _encoding,
            Items is null ? 0u : ItemQueue.Window,
            Deadline is { } deadline ? Math.Max(0, (long)owner.Time.GetElapsedTime(owner.Time.GetTimestamp(), deadline).TotalMilliseconds) : -1,
            _traceParent,
            _traceState,
            takesContext ? _context : null,
            takesCaller ? _caller : null);
        _observation.Sent();
        _onAssigned?.Invoke();
        _recorded?.Assigned(_recordedVersion, Worker?.Process?.ProcessId ?? 0);
        if (Bytes < FrameWriter.LeastBorrowed && _traceParent is null && fields.Context is null && fields.Caller is null)
        {
            CallWriter.WriteShort(frames, callId, fields, Arguments.Values.WrittenSpan, Arguments.Raw);
            return;
        }

        try
        {
            var writer = CallWriter.Begin(frames, callId, fields);
            if (Arguments.Values.Length > 0)
            {
                writer.BeginPart(PartKind.Json);
                frames.Borrow(Arguments.Values.WrittenMemory);
                writer.EndPart();
            }

            foreach (var part in Arguments.Raw)
            {
                writer.AddRaw(part.Parameter, part.Bytes);
            }

            writer.End();
        }
        catch
        {
            frames.Discard();
            throw;
        }
    }

    /// <summary>An ERROR always fits; a RESULT has a value where the operation has one, and the RESULT of a stream has none.</summary>
    public override bool Accepts(in Answer answer)
    {
        var (isResult, hasValue, isNull) = ReceivedAnswers.Read(answer.Kind);

        // Many languages cannot tell a function that returns nothing from one that returns null.
        return !isResult || hasValue == HasValue || (isNull && Call.Operation.ResultKind == ResultKind.None);
    }

    /// <summary>The worker ran out of memory: it exits.</summary>
    public override bool IsFatal(in Answer answer) => ReceivedAnswers.IsOutOfMemory(answer.Kind);

    /// <summary>The call succeeded. The payload is copied. The code that calls this does not use the entry any more.</summary>
    /// <param name="result">The RESULT.</param>
    public void Succeed(in Frame result)
    {
        var call = Call;
        Exception? failure = null;
        try
        {
            Items?.Complete(result);
            Request?.Stop();
            var payload = result.Payload;
            if (Items is null && (result.Flags & FrameFlags.Head) != 0)
            {
                ApplyHead(ResponseHead.Read(result.Type, payload, out var length));
                payload = payload[length..];
            }

            if (Items is null && (result.Flags & FrameFlags.NoValue) == 0)
            {
                call.SetEncodedResult(payload, (result.Flags & FrameFlags.Raw) != 0 ? ResultEncoding.Raw : ResultEncoding.Json);
            }
        }
        catch (Exception thrown)
        {
            // No memory for the copy, for example: that is an outcome, too.
            failure = thrown;
            Items?.End(thrown, keepsItems: true);
        }

        _hasOutcome = true;
        _observation.Complete(call.Operation, failure, CancelReason);

        // A callback that has begun is not waited for: it finds nothing to do, but it refers to this entry, which is then not reused.
        if ((_leaving.Unregister() || !Token.CanBeCanceled) && failure is null && TryClear())
        {
            owner.Keep(this);
        }

        call.End(failure);
    }

    public override void Fail(PoolActionKind decision, IPoolWorker? worker, string cause) =>
        Fail(owner.Reports.Exceptions.Of(decision, Call.Operation, worker, cause, owner.Core.LastFailure));

    public override void Fail(Exception failure) => Fail(failure, keepsItems: true);

    // The consumer of its items is notified at once, without those that wait.
    public override void Abandon(Exception reason) => Fail(reason, keepsItems: false);

    public override void OnEntered() => Items?.Enter();

    private void Fail(Exception failure, bool keepsItems)
    {
        Items?.End(failure, keepsItems);
        owner.Reports.Failed(failure, CancelReason, Admission);
        _observation.Complete(Call.Operation, failure, CancelReason);
        _hasOutcome = true;
        Interlocked.MemoryBarrier();
        _leaving.Unregister();
        Request?.Stop();
        Call.End(failure);
        Items?.Refuse();
    }

    /// <summary>The arguments are not read any more: the call has its outcome.</summary>
    public void Dispose()
    {
        _leaving.Unregister();
        Arguments.Dispose();
    }

    /// <summary>Applies what the operation chose for its response on the caller's side. Only while that side waits, or on its own flow.</summary>
    public void ApplyHead(ResponseHead head) => head.ApplyTo(Call.Context ??= new OperationContext(Call, EmptyScopeFactory.Instance, Token));

    /// <summary>Resets the entry for another call, if it may be reused.</summary>
    private bool TryClear()
    {
        if (Request is not null || Items is not null)
        {
            return false;
        }

        Renew();
        _token = default;
        Deadline = null;
        CancelReason = CancelReason.Caller;
        _leaving = default;
        _observation = default;
        _onAssigned = null;
        _recorded = null;
        Job = null;
        _traceParent = null;
        _traceState = null;
        _context = null;
        _caller = null;
        _flow = null;
        _steps = 0;
        _fingerprint = 0;
        IsWritten = false;
        _hasOutcome = false;
        Arguments.Clear();
        if (Arguments.Values.Capacity > LargestKept)
        {
            Arguments.Dispose();
        }

        return true;
    }

    private void Trace(Activity? parent)
    {
        if (parent is { IdFormat: ActivityIdFormat.W3C })
        {
            _traceParent = parent.Id;
            _traceState = parent.TraceStateString is { Length: <= 8192 } state ? state : null;
        }
    }

    // The caller and the pool reach the place in either order; the second continues.
    private bool IsSecond() => Interlocked.Increment(ref _steps) == 2;
}
