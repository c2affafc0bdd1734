using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks.Sources;
using Weir.Execution.Threading;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// The items of one call's result: they come from its worker's reader and wait here, bounded by credit, until the one consumer takes them. A
/// consumer that takes nothing while the window is full ends the stream, so that it does not keep the worker.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class ItemPipe : IValueTaskSource<bool>
{
    private readonly PoolCall _call;
    private readonly Lock _gate = new();
    private readonly IPoolCallOwner _owner;
    private readonly TimeSpan? _stallTimeout;
    private readonly ITimer? _stall;
    private readonly TaskCompletionSource<bool> _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Under _gate, except what the consumer reads. The worker has the whole window from the start.
    private readonly ItemQueue _items = new(isOpen: true);
    private readonly bool _isRaw;
    private long _quietSince;
    private bool _isForgiven;
    private bool _waits;
    private bool _closed;
    private bool _ended;
    private Exception? _failure;
    private ResponseHead? _head;
    private bool _hasItems;
    private ManualResetValueTaskSourceCore<bool> _next = new() { RunContinuationsAsynchronously = true };

    /// <param name="owner">The pool.</param>
    /// <param name="call">The call.</param>
    /// <param name="stallTimeout">How long the consumer may take nothing while the window is full; <c>null</c> for no limit.</param>
    public ItemPipe(IPoolCallOwner owner, PoolCall call, TimeSpan? stallTimeout)
    {
        _owner = owner;
        _call = call;
        _stallTimeout = stallTimeout;
        _stall = stallTimeout is null ? null : Callbacks.CreateTimer(
            owner.Time, this, static pipe => pipe.OnStalled(), static (pipe, failure) => pipe._owner.Reports.CallbackFailed(failure, "ending a stream that its caller does not read"));
        _isRaw = call.Call is not StreamCall;
        Source = new WorkerItemSource(this) { Call = call.Call as StreamCall };
    }

    /// <summary>The source from which the pump takes the items.</summary>
    public ItemSource Source { get; }

    /// <summary>Completes when the call is submitted, with <c>false</c> when it had its outcome before.</summary>
    public Task<bool> Entered => _entered.Task;

    /// <summary>The current item; valid until the next advance.</summary>
    public ReadOnlyMemory<byte> Current => _items.Current;

    /// <summary>The call has entered the pool.</summary>
    public void Enter() => _entered.TrySetResult(true);

    /// <summary>The call has its outcome; if it had not entered the pool, it will not.</summary>
    public void Refuse() => _entered.TrySetResult(false);

    /// <summary>Takes an item from the worker. The worker's reader only.</summary>
    /// <exception cref="FrameException">The worker sent more than it was allowed, or not JSON.</exception>
    public void Accept(in Frame item)
    {
        if ((item.Flags & FrameFlags.Raw) != 0 != _isRaw)
        {
            throw new FrameException(FrameError.UnexpectedFrame, _isRaw ? "an item of JSON where RAW was requested" : "a RAW item where JSON was requested");
        }

        if (!_entered.Task.IsCompleted)
        {
            // The worker may be faster than the thread that submitted: its items are the consumer's, also if a failure comes next.
            Enter();
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
            _owner.Core.Grant(_call, grant);
        }

        return result;
    }

    /// <summary>The consumer has finished, at the end of the stream or before.</summary>
    public void Close()
    {
        if (!_call.HasOutcome)
        {
            _owner.Core.Cancel(_call, CancelReason.Caller, new OperationCanceledException(_call.Token));
        }

        lock (_gate)
        {
            Close_NeedsLock();
        }
    }

    /// <summary>The worker has sent every item; the consumer still gets those that wait.</summary>
    /// <param name="result">The RESULT, which has no value.</param>
    public void Complete(in Frame result)
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
    }

    /// <summary>No more items come.</summary>
    /// <param name="failure">Why; <c>null</c> at the end of the stream.</param>
    /// <param name="keepsItems">Whether the consumer still gets those that wait; otherwise it is notified at once.</param>
    public void End(Exception? failure, bool keepsItems)
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

    // Every item that was taken is progress, even where too few were taken for another grant.
    private void OnStalled()
    {
        lock (_gate)
        {
            if (_ended || _closed || !_items.IsFull)
            {
                return;
            }

            var left = _stallTimeout!.Value - _owner.Time.GetElapsedTime(_quietSince);
            if (left < -HostThread.MostLate && !_isForgiven)
            {
                // The host was stopped, and its reader with it: the time counts from now. Only once until there is progress: where the thread pool
                // is starved every timer is late, and the worker must be freed all the same.
                _isForgiven = true;
                _quietSince = _owner.Time.GetTimestamp();
                left = _stallTimeout.Value;
            }

            if (left > TimeSpan.Zero)
            {
                _stall!.Change(left, Timeout.InfiniteTimeSpan);
                return;
            }
        }

        _owner.Core.Cancel(_call, CancelReason.Stalled, _owner.Reports.Exceptions.Stalled(_call.Operation));
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
            _call.ApplyHead(head);
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
        _quietSince = _owner.Time.GetTimestamp();
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
