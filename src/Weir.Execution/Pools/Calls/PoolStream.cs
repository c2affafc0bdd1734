using System.Threading.Tasks.Sources;
using Weir.Execution.Threading;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// A call whose result is a stream: the worker's items wait here, bounded by credit, until the one consumer takes them. A
/// consumer that takes nothing while the window is full ends the stream, so that it does not keep the worker.
/// </summary>
internal sealed class PoolStream : PoolCall, IValueTaskSource<bool>
{
    private readonly Lock _gate = new();
    private readonly IPoolCallOwner _owner;
    private readonly TimeProvider _time;
    private readonly TimeSpan? _stallTimeout;
    private readonly ITimer? _stall;
    private readonly TaskCompletionSource<bool> _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Under _gate, except what the consumer reads. The worker has the whole window from the start.
    private readonly ItemQueue _items = new(isOpen: true);
    private long _quietSince;
    private bool _isForgiven;
    private bool _waits;
    private bool _closed;
    private bool _ended;
    private Exception? _failure;
    private ResponseHead? _head;
    private bool _hasItems;
    private ManualResetValueTaskSourceCore<bool> _next = new() { RunContinuationsAsynchronously = true };

    public PoolStream(IPoolCallOwner owner, StreamCall call, in CallRequest request, TimeSpan? stallTimeout, TimeProvider time)
        : base(owner)
    {
        Begin(call, request);
        Observe();
        _owner = owner;
        _time = time;
        _stallTimeout = stallTimeout;
        _stall = stallTimeout is null ? null : Callbacks.CreateTimer(
            time, this, static stream => stream.OnStalled(), static (stream, failure) => stream._owner.Reports.CallbackFailed(failure, "ending a stream that its caller does not read"));
        IsStreamed = true;
        Source = new WorkerItemSource(this) { Call = call };
    }

    /// <summary>The source from which the pump takes the items.</summary>
    public ItemSource Source { get; }

    /// <summary>Completes when the call is submitted, with <c>false</c> when it had its outcome before.</summary>
    public Task<bool> Entered => _entered.Task;

    /// <summary>The current item; valid until the next advance.</summary>
    public ReadOnlyMemory<byte> Current => _items.Current;

    protected override uint InitialCredit => ItemQueue.Window;

    protected override bool HasValue => false;

    public override void OnEntered() => _entered.TrySetResult(true);

    /// <summary>Takes an item from the worker. The worker's reader only.</summary>
    /// <exception cref="FrameException">The worker sent more than it was allowed, or not JSON.</exception>
    public void Accept(in Frame item)
    {
        if ((item.Flags & FrameFlags.Raw) != 0)
        {
            throw new FrameException(FrameError.UnexpectedFrame, "a RAW item where JSON was requested");
        }

        if (!_entered.Task.IsCompleted)
        {
            // The worker may be faster than the thread that submitted: its items are the consumer's, also if a failure comes next.
            OnEntered();
        }

        var length = 0;
        var head = (item.Flags & FrameFlags.Head) != 0 ? ResponseHead.Read(item.Type, item.Payload, out length) : null;
        lock (_gate)
        {
            if (head is not null && _hasItems)
            {
                throw new FrameException(FrameError.UnexpectedFrame, "a head after the first item");
            }

            _hasItems = true;
            _head ??= head;
            if (!_items.TryAdd(new Frame(item.Header, item.Memory[length..])))
            {
                throw new FrameException(FrameError.CreditOverflow, "an item without credit");
            }

            if (_closed)
            {
                return;
            }

            if (_items.IsFull)
            {
                NoteProgress_NeedsLock();
                _stall?.Change(_stallTimeout!.Value, Timeout.InfiniteTimeSpan);
            }

            Wake_NeedsLock();
        }
    }

    /// <summary>Advances to the next item. The consumer only.</summary>
    public ValueTask<bool> MoveNextAsync()
    {
        uint grant;
        ValueTask<bool> result;
        lock (_gate)
        {
            grant = PassOn_NeedsLock();
            if (TryTake_NeedsLock())
            {
                result = new ValueTask<bool>(true);
            }
            else if (_ended)
            {
                result = _failure is null ? new ValueTask<bool>(false) : ValueTask.FromException<bool>(_failure);
            }
            else
            {
                _waits = true;
                _next.Reset();
                result = new ValueTask<bool>(this, _next.Version);
            }
        }

        if (grant > 0)
        {
            _owner.Core.Grant(this, grant);
        }

        return result;
    }

    /// <summary>The consumer has finished, at the end of the stream or before.</summary>
    public void Close()
    {
        if (!HasOutcome)
        {
            _owner.Core.Cancel(this, CancelReason.Caller, new OperationCanceledException(Token));
        }

        lock (_gate)
        {
            Close_NeedsLock();
        }
    }

    public override void Succeed(in Frame result)
    {
        if ((result.Flags & FrameFlags.Head) != 0)
        {
            lock (_gate)
            {
                // After an item it is too late.
                _head = _hasItems ? _head : ResponseHead.Read(result.Type, result.Payload, out _);
            }
        }

        End(null, keepsItems: true);
        base.Succeed(new Frame(result.Header with { Flags = FrameFlags.NoValue, PayloadLength = 0 }, default));
    }

    /// <summary>The consumer still gets the items that came before.</summary>
    public override void Fail(Exception failure)
    {
        End(failure, keepsItems: true);
        base.Fail(failure);
        _entered.TrySetResult(false);
    }

    /// <summary>The call was cancelled: the consumer is notified at once, without the items that wait.</summary>
    public override void Abandon(Exception reason)
    {
        End(reason, keepsItems: false);
        base.Fail(reason);
        _entered.TrySetResult(false);
    }

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        _next.GetResult(token);
        lock (_gate)
        {
            return TryTake_NeedsLock() || (_failure is null ? false : throw _failure);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _next.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        // Not to the synchronization context of the awaiting code: posting to it runs foreign code, and the worker's reader calls this.
        _next.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    // Its source and its buffers belong to its consumer.
    protected override bool TryClear() => false;

    // Every item that was taken is progress, even where too few were taken for another grant.
    private void OnStalled()
    {
        lock (_gate)
        {
            if (_ended || _closed || !_items.IsFull)
            {
                return;
            }

            var left = _stallTimeout!.Value - _time.GetElapsedTime(_quietSince);
            if (left < -HostThread.MostLate && !_isForgiven)
            {
                // The host was stopped, and its reader with it: the time counts from now. Only once until there is progress: where the thread pool
                // is starved every timer is late, and the worker must be freed all the same.
                _isForgiven = true;
                _quietSince = _time.GetTimestamp();
                left = _stallTimeout.Value;
            }

            if (left > TimeSpan.Zero)
            {
                _stall!.Change(left, Timeout.InfiniteTimeSpan);
                return;
            }
        }

        _owner.Core.Cancel(this, CancelReason.Stalled, _owner.Reports.Exceptions.Stalled(Call.Operation));
    }

    private void End(Exception? failure, bool keepsItems)
    {
        lock (_gate)
        {
            _ended = true;
            _failure = failure;
            _stall?.Dispose();
            if (!keepsItems)
            {
                _closed = true;
                _items.Stop();
            }

            Wake_NeedsLock();
        }
    }

    private void Close_NeedsLock()
    {
        _closed = true;
        _stall?.Dispose();
        _items.Dispose();
    }

    // What the consumer has moved past frees space for more.
    private uint PassOn_NeedsLock()
    {
        var grant = _ended ? 0 : _items.PassOn();
        if (grant > 0 && !_items.IsFull)
        {
            // Where one item was larger than the window, a grant may not be enough: the worker keeps waiting.
            _stall?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        return grant;
    }

    // On the consumer's flow, before it sees the first item or the end.
    private bool TryTake_NeedsLock()
    {
        if (_head is { } head)
        {
            _head = null;
            ApplyHead(head);
        }

        if (!_items.TryTake())
        {
            return false;
        }

        if (_items.IsFull)
        {
            NoteProgress_NeedsLock();
        }

        return true;
    }

    private void NoteProgress_NeedsLock()
    {
        _quietSince = _time.GetTimestamp();
        _isForgiven = false;
    }

    private void Wake_NeedsLock()
    {
        if (_waits)
        {
            _waits = false;
            _next.SetResult(true);
        }
    }
}
