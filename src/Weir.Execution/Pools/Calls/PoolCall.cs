using System.Diagnostics;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// One call on its way through a pool: the entry of the pool's table, and the CALL that a worker gets. Whoever ends it does so
/// once, by the pool's decision; its caller awaits the <see cref="Weir.Runtime.Call"/> itself. The entry of a call that a worker
/// answered is used again: after the answer nobody in the pool may refer to it. Every other one is left to the collector.
/// </summary>
/// <param name="owner">What it enters the pool through.</param>
internal class PoolCall(IPoolCallOwner owner) : CallEntry, IWorkItem, ICancellationCallback, IDisposable
{
    private const int PartHeaderSize = 8;

    // A buffer for arguments that stays with the entry.
    private const int LargestKept = 64 * 1024;

    private ResultEncoding _encoding;
    private CancellationTokenRegistration _leaving;
    private string? _traceParent;
    private string? _traceState;
    private ExecutionContext? _flow;
    private int _steps;
    private volatile bool _hasEnding;
    private ulong _fingerprint;

    /// <summary>The call; of an entry that is not in use, its last one.</summary>
    public Call Call { get; private set; } = null!;

    public CancellationToken Token { get; private set; }

    public bool WaitsForRoom { get; private set; }

    /// <summary>The <see cref="TimeProvider"/> timestamp at which the deadline passes; <c>null</c> means no limit.</summary>
    public long? Deadline { get; private set; }

    /// <summary>Written before the call is submitted, only read afterwards.</summary>
    public ArgumentWriter Arguments { get; } = new();

    /// <summary>Why the caller left; set before it does.</summary>
    public CancelReason LeaveReason { get; set; } = CancelReason.Caller;

    /// <summary>Sends the items of a streamed request; <c>null</c> for most calls.</summary>
    public RequestSender? Request { get; private set; }

    /// <summary>Taken once. Nothing once the caller has left: the memory is its own again. Nor where items say what the call is about.</summary>
    public override ulong Fingerprint => _fingerprint != 0 ? _fingerprint
        : CallerGone || Request is not null ? 0
        : _fingerprint = ArgumentFingerprint.Of(Call.Operation, Arguments);

    /// <summary>Whether the call has its ending.</summary>
    public bool HasEnding => _hasEnding;

    /// <summary>The first credit of its items; none without a stream.</summary>
    protected virtual uint InitialCredit => 0;

    /// <summary>Whether its RESULT has a value.</summary>
    protected virtual bool HasValue => Call.Operation.ResultKind != ResultKind.None;

    /// <summary>Takes a call, on its caller's flow.</summary>
    /// <exception cref="ArgumentNullException">Its request is a stream, and there are no items.</exception>
    public void Begin(Call call, in ExecutionRequest request)
    {
        Call = call;
        Request = call.Operation.StreamsRequest ? owner.SenderOf(call) : null;
        IsStreamed = Request is not null;
        IsIdempotent = call.Operation.IsIdempotent;
        Token = request.CancellationToken;
        WaitsForRoom = request.WaitsForRoom;
        Deadline = request.DeadlineTimestamp;
        _encoding = request.ResultEncoding;
        if (Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity)
        {
            _traceParent = activity.Id;
            _traceState = activity.TraceStateString is { Length: <= 8192 } state ? state : null;
        }
    }

    /// <summary>Whether its deadline has passed, or is so near that a timer for it may have fired: timers count another clock, in whole milliseconds.</summary>
    public bool IsLate(TimeProvider time) => Deadline <= time.GetTimestamp() + (time.TimestampFrequency / 50);

    /// <summary>Makes the caller's leaving heard. The token fires for its leaving and for its deadline alike.</summary>
    public void ListenForLeaving()
    {
        if (!Token.CanBeCanceled)
        {
            return;
        }

        _leaving = Callbacks.Register(this, Token);

        // Either the ending sees the registration, or this sees the ending.
        Interlocked.MemoryBarrier();
        if (_hasEnding)
        {
            _leaving.Unregister();
        }
    }

    /// <summary>The caller waits for a place, after it made itself heard. Nobody is admitted before that.</summary>
    /// <returns>Whether the place was there already: then the caller goes on itself.</returns>
    public bool Wait()
    {
        // The user's types are read on the caller's flow; where there are none, the place's giver may write the arguments.
        _flow = Call.Operation.HasPlainArguments ? null : ExecutionContext.Capture();
        return IsSecond();
    }

    /// <summary>A waiting call has a place now.</summary>
    /// <returns>Whether its arguments are to be written here. Otherwise its caller writes them, or the thread pool on the caller's flow.</returns>
    public bool TryTakePlace()
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

    /// <summary>Writes the arguments of an admitted call.</summary>
    /// <returns>What went wrong; <c>null</c> when they are written.</returns>
    public Exception? TryWrite() => owner.TryWrite(this);

    void ICancellationCallback.OnCancelled() => owner.Leave(this);

    void ICancellationCallback.OnCancelFailed(Exception failure) => owner.ReportFailure(failure, "cancelling a call");

    void IWorkItem.OnFailed(Exception failure) => owner.Fail(this, failure);

    void IWorkItem.Run()
    {
        if (_flow is null)
        {
            owner.Submit(this);
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

        Bytes = FrameHeader.Size + length;
        return length;
    }

    /// <summary>Gives written arguments up again: the call waits, and they are too many to be kept for it.</summary>
    public void ForgetArguments()
    {
        IsWritten = false;
        _fingerprint = 0;
        Arguments.Dispose();
    }

    /// <summary>The fixed fields of its CALL to one worker.</summary>
    public CallFields Fields(ushort operation, TimeProvider time) => new(
        operation,
        _encoding,
        InitialCredit,
        Deadline is { } deadline ? Math.Max(0, (long)time.GetElapsedTime(time.GetTimestamp(), deadline).TotalMilliseconds) : -1,
        _traceParent,
        _traceState);

    /// <summary>Appends the CALL.</summary>
    public void Write(FrameWriter frames, ulong callId, in CallFields fields)
    {
        if (Bytes < FrameWriter.LeastBorrowed && _traceParent is null)
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

    /// <summary>An ERROR always fits; a RESULT has a value where the operation has one, and a stream's has none.</summary>
    public sealed override bool Accepts(in Answer answer)
    {
        var (isResult, hasValue, isNull) = ReceivedAnswers.Read(answer.Kind);

        // Many languages cannot tell a function that returns nothing from one that returns null.
        return !isResult || hasValue == HasValue || (isNull && Call.Operation.ResultKind == ResultKind.None);
    }

    /// <summary>It has had no memory: it ends itself.</summary>
    public sealed override bool IsFatal(in Answer answer) => ReceivedAnswers.IsOutOfMemory(answer.Kind);

    /// <summary>The call ended well. The payload is copied. Whoever calls this does not look at the entry any more.</summary>
    /// <param name="result">The RESULT.</param>
    public virtual void Succeed(in Frame result)
    {
        var call = Call;
        Exception? failure = null;
        try
        {
            Request?.Stop();
            var payload = result.Payload;
            if ((result.Flags & FrameFlags.Head) != 0)
            {
                ApplyHead(ResponseHead.Read(result.Type, payload, out var length));
                payload = payload[length..];
            }

            if ((result.Flags & FrameFlags.NoValue) == 0)
            {
                call.SetEncodedResult(payload, (result.Flags & FrameFlags.Raw) != 0 ? ResultEncoding.Raw : ResultEncoding.Json);
            }
        }
        catch (Exception thrown)
        {
            // No memory for the copy, say: an ending all the same.
            failure = thrown;
        }

        _hasEnding = true;

        // A callback that has begun is let run out: it finds nothing to do, but it holds this.
        if ((_leaving.Unregister() || !Token.CanBeCanceled) && failure is null && TryClear())
        {
            owner.Keep(this);
        }

        call.End(failure);
    }

    /// <summary>The call ended otherwise.</summary>
    public virtual void Fail(Exception failure)
    {
        owner.Note(failure, LeaveReason);
        _hasEnding = true;
        Interlocked.MemoryBarrier();
        _leaving.Unregister();
        Request?.Stop();
        Call.End(failure);
    }

    /// <summary>The caller left, and that is the ending.</summary>
    public virtual void Abandon(Exception reason) => Fail(reason);

    /// <summary>Nobody reads the arguments any more: the call has its ending.</summary>
    public void Dispose()
    {
        _leaving.Unregister();
        Arguments.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Shows the call's own side what the operation chose for its response. Only while that side waits, or on its own flow.</summary>
    protected void ApplyHead(ResponseHead head) => head.ApplyTo(Call.Context ??= new OperationContext(Call, NoScopes.Instance, Token));

    /// <summary>Makes it as good as new, if it may be used again.</summary>
    protected virtual bool TryClear()
    {
        if (Request is not null)
        {
            return false;
        }

        Renew();
        Token = default;
        Deadline = null;
        LeaveReason = CancelReason.Caller;
        _leaving = default;
        _traceParent = null;
        _traceState = null;
        _flow = null;
        _steps = 0;
        _fingerprint = 0;
        IsWritten = false;
        _hasEnding = false;
        Arguments.Clear();
        if (Arguments.Values.Capacity > LargestKept)
        {
            Arguments.Dispose();
        }

        return true;
    }

    // The caller and the pool come to the place in either order; the second goes on.
    private bool IsSecond() => Interlocked.Increment(ref _steps) == 2;

    private void Submit() => owner.Submit(this);
}
