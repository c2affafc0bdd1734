using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// One call on its way through a pool. Its caller's flow writes the arguments and awaits the ending; whoever ends it does so
/// once, by the pool's decision. Continuations run on the thread pool.
/// </summary>
internal class PoolCall : CallEntry, IValueTaskSource, IDisposable
{
    private const int PartHeaderSize = 8;

    private readonly long? _deadline;
    private readonly ResultEncoding _encoding;
    private TaskCompletionSource? _admission;
    private ManualResetValueTaskSourceCore<bool> _ending = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _leaving;
    private string? _traceParent;
    private string? _traceState;

    public PoolCall(Call call, in ExecutionRequest request)
    {
        Call = call;
        Token = request.CancellationToken;
        WaitsForRoom = request.WaitsForRoom;
        _deadline = request.DeadlineTimestamp;
        _encoding = request.ResultEncoding;
    }

    public Call Call { get; }

    public CancellationToken Token { get; }

    public bool WaitsForRoom { get; }

    /// <summary>Written by the caller's flow before the call is submitted, only read afterwards.</summary>
    public ArgumentWriter Arguments { get; } = new();

    /// <summary>The caller has its memory back. Under the lock of the outbox of the call's worker.</summary>
    public bool IsDetached { get; set; }

    /// <summary>Why the caller left; set before it does.</summary>
    public CancelReason LeaveReason { get; set; } = CancelReason.Caller;

    /// <summary>Whether the call has its ending.</summary>
    public bool HasEnding => _ending.GetStatus(_ending.Version) != ValueTaskSourceStatus.Pending;

    /// <summary>The first credit of its items; none without a stream.</summary>
    protected virtual uint InitialCredit => 0;

    /// <summary>Ends when a waiting call was given a place, or has an ending. Only after <see cref="PrepareToWait"/>.</summary>
    public Task Admission => _admission!.Task;

    /// <summary>The call's ending.</summary>
    public ValueTask Ending => new(this, _ending.Version);

    /// <summary>The call has to wait for a place. Under the pool's lock, so that nobody admits it before.</summary>
    public void PrepareToWait() => _admission = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Admit() => _admission!.TrySetResult();

    /// <summary>Makes the caller's leaving heard. The token fires for its leaving and for its deadline alike.</summary>
    public void ListenForLeaving(PoolEvents events, TimeProvider time)
    {
        if (!Token.CanBeCanceled)
        {
            return;
        }

        _leaving = Token.UnsafeRegister(
            static state =>
            {
                var (call, events, time) = ((PoolCall, PoolEvents, TimeProvider))state!;
                var isLate = call._deadline is { } deadline && deadline <= time.GetTimestamp();
                events.Leave(call, isLate ? CancelReason.Deadline : CancelReason.Caller, new OperationCanceledException(call.Token));
            },
            (this, events, time));
    }

    /// <summary>Writes the arguments; the user's types are read here, on the caller's flow.</summary>
    /// <returns>The bytes they take in a frame.</returns>
    public long WriteArguments()
    {
        Call.WriteArguments(Arguments);
        if (Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity)
        {
            _traceParent = activity.Id;
            _traceState = activity.TraceStateString is { Length: <= 8192 } state ? state : null;
        }

        long length = CallPayload.FixedSize + (_traceParent?.Length ?? 0) + (_traceState?.Length ?? 0) + PartHeaderSize + Arguments.Values.Length;
        foreach (var part in Arguments.Raw)
        {
            length += PartHeaderSize + part.Bytes.Length;
        }

        return length;
    }

    /// <summary>The fixed fields of its CALL to one worker.</summary>
    public CallFields Fields(ushort operation, TimeProvider time) => new(
        operation,
        _encoding,
        InitialCredit,
        _deadline is { } deadline ? Math.Max(0, (long)time.GetElapsedTime(time.GetTimestamp(), deadline).TotalMilliseconds) : -1,
        _traceParent,
        _traceState);

    /// <summary>Appends the CALL. A caller that left before has taken its memory back: the frame keeps the channel's sequence, the CANCEL beside it says the rest.</summary>
    public void Write_NeedsOutboxLock(FrameWriter frames, in CallFields fields)
    {
        var writer = CallWriter.Begin(frames, CallId, fields);
        if (!IsDetached)
        {
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
        }

        writer.End();
    }

    /// <summary>Whether a RESULT fits the operation.</summary>
    /// <exception cref="FrameException">It does not.</exception>
    public virtual void Check(in Frame result)
    {
        var hasValue = (result.Flags & FrameFlags.NoValue) == 0;
        if (hasValue && Call.Operation.ResultKind == ResultKind.None && result.Payload.SequenceEqual("null"u8))
        {
            // Many languages cannot tell a function that returns nothing from one that returns null.
            return;
        }

        if (hasValue != (Call.Operation.ResultKind != ResultKind.None))
        {
            throw new FrameException(FrameFault.UnexpectedFrame, $"RESULT {(hasValue ? "with" : "without")} a value for {Call.Operation}");
        }
    }

    /// <summary>The call ended well. The payload is copied.</summary>
    public virtual void Succeed(in Frame result)
    {
        try
        {
            if ((result.Flags & FrameFlags.NoValue) == 0)
            {
                Call.SetEncodedResult(result.Payload, (result.Flags & FrameFlags.Raw) != 0 ? ResultEncoding.Raw : ResultEncoding.Json);
            }
        }
        catch (Exception failure)
        {
            // No memory for the copy, say: an ending all the same.
            _ending.SetException(failure);
            return;
        }

        _ending.SetResult(true);
    }

    /// <summary>The call ended otherwise.</summary>
    public virtual void Fail(Exception failure)
    {
        _ending.SetException(failure);
        _admission?.TrySetResult();
    }

    /// <summary>The caller left, and that is the ending.</summary>
    public virtual void Abandon(Exception reason) => Fail(reason);

    /// <summary>Nobody reads the arguments any more: the call has its ending.</summary>
    public void Dispose()
    {
        _leaving.Dispose();
        Arguments.Dispose();
        GC.SuppressFinalize(this);
    }

    void IValueTaskSource.GetResult(short token) => _ending.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _ending.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _ending.OnCompleted(continuation, state, token, flags);
}
