using System.Buffers.Binary;
using System.Threading.Tasks.Sources;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// A call whose result is a stream: the worker's items wait here, bounded by credit, until the one consumer takes them. A
/// consumer that takes nothing while the window is full ends the stream, so that it does not keep the worker.
/// </summary>
internal sealed class PoolStream : PoolCall, IValueTaskSource<bool>
{
    /// <summary>What may wait here, in bytes of whole frames; one item may exceed it.</summary>
    public const int Window = 256 * 1024;

    // Granted in quarters: often enough that a producer does not wait, seldom enough to cost nothing.
    private const int LeastGrant = Window / 4;
    private const int LargestKept = 1 << 20;
    private const int PrefixSize = 4;

    private readonly Lock _gate = new();
    private readonly PoolEvents _events;
    private readonly TimeProvider _time;
    private readonly TimeSpan? _stallTimeout;
    private readonly ITimer? _stall;
    private readonly TaskCompletionSource<bool> _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Under _gate. The worker's reader fills one buffer, the consumer empties the other; each item behind its length.
    private PayloadWriter _filling = new();
    private PayloadWriter _taking = new();
    private int _taken;
    private Credit _credit = new(Window);
    private int _ungranted;
    private long _quietSince;
    private bool _waits;
    private bool _closed;
    private bool _ended;
    private Exception? _failure;
    private ManualResetValueTaskSourceCore<bool> _next = new() { RunContinuationsAsynchronously = true };

    // Consumer only.
    private ReadOnlyMemory<byte> _current;
    private bool _hasCurrent;

    public PoolStream(PoolExecutor executor, StreamCall call, in ExecutionRequest request, PoolEvents events, TimeSpan? stallTimeout, TimeProvider time)
        : base(executor)
    {
        Begin(call, request);
        _events = events;
        _time = time;
        _stallTimeout = stallTimeout;
        _stall = stallTimeout is null ? null : time.CreateTimer(OnStalled, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        IsStreamed = true;
        Source = new WorkerItemSource(this);
    }

    /// <summary>What the pump takes the items from.</summary>
    public ItemSource Source { get; }

    /// <summary>Ends when the call is submitted, with <c>false</c> when it came to its ending before.</summary>
    public Task<bool> Entered => _entered.Task;

    /// <summary>The current item; valid until the next advance.</summary>
    public ReadOnlyMemory<byte> Current => _current;

    protected override uint InitialCredit => Window;

    protected override bool HasValue => false;

    public void OnEntered() => _entered.TrySetResult(true);

    /// <summary>Takes an item from the worker. The worker's reader only.</summary>
    /// <exception cref="FrameException">The worker sent more than it was allowed, or not JSON.</exception>
    public void Accept(in Frame item)
    {
        if ((item.Flags & FrameFlags.Raw) != 0)
        {
            throw new FrameException(FrameFault.UnexpectedFrame, "a RAW item where JSON was wished");
        }

        if (!_entered.Task.IsCompleted)
        {
            // The worker may be faster than whoever submitted: its items are the consumer's, also if a failure comes next.
            OnEntered();
        }

        lock (_gate)
        {
            if (!_credit.TryTake(item.Payload.Length))
            {
                throw new FrameException(FrameFault.CreditOverflow, "an item without credit");
            }

            if (_closed)
            {
                return;
            }

            BinaryPrimitives.WriteInt32LittleEndian(_filling.GetSpan(PrefixSize), item.Payload.Length);
            _filling.Advance(PrefixSize);
            _filling.Write(item.Payload);
            if (!_credit.CanSend)
            {
                _quietSince = _time.GetTimestamp();
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
            _events.View.WorkerOf(this, out var callId)?.Grant(callId, grant);
        }

        return result;
    }

    /// <summary>The consumer is done, early or not.</summary>
    public void Close()
    {
        if (!HasEnding)
        {
            _events.Leave(this, CancelReason.Caller, new OperationCanceledException(Token));
        }

        lock (_gate)
        {
            Close_NeedsLock();
        }
    }

    public override void Succeed(in Frame result)
    {
        End(null, keepsItems: true);
        base.Succeed(result);
    }

    /// <summary>Items that came before are still the consumer's.</summary>
    public override void Fail(Exception failure)
    {
        End(failure, keepsItems: true);
        base.Fail(failure);
        _entered.TrySetResult(false);
    }

    /// <summary>The consumer left: it hears at once.</summary>
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
        _next.OnCompleted(continuation, state, token, flags);

    // Its source and its buffers are its consumer's.
    protected override bool TryClear() => false;

    // Every item that was taken is progress, also where too few were taken for another grant.
    private void OnStalled(object? state)
    {
        lock (_gate)
        {
            if (_ended || _closed || _credit.CanSend)
            {
                return;
            }

            var left = _stallTimeout!.Value - _time.GetElapsedTime(_quietSince);
            if (left > TimeSpan.Zero)
            {
                _stall!.Change(left, Timeout.InfiniteTimeSpan);
                return;
            }
        }

        _events.Leave(this, CancelReason.Stalled, _events.Endings.Stalled(Call.Operation));
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
                _filling.Clear();
                _taking.Truncate(_taken);
            }

            Wake_NeedsLock();
        }
    }

    private void Close_NeedsLock()
    {
        _closed = true;
        _current = default;
        _stall?.Dispose();
        _filling.Dispose();
        _taking.Dispose();
        _taken = 0;
    }

    // What the consumer has moved past makes room for more.
    private uint PassOn_NeedsLock()
    {
        if (_hasCurrent)
        {
            _hasCurrent = false;
            _ungranted += Credit.CostOf(_current.Length);
        }

        if (_ungranted < LeastGrant || _ended)
        {
            return 0;
        }

        var grant = (uint)_ungranted;
        _ungranted = 0;
        _credit.Grant(grant);
        _stall?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        return grant;
    }

    private bool TryTake_NeedsLock()
    {
        if (_taken == _taking.Length)
        {
            if (_filling.Length == 0)
            {
                return false;
            }

            if (_taking.Length > LargestKept)
            {
                _taking.Dispose();
            }

            _taking.Clear();
            (_taking, _filling) = (_filling, _taking);
            _taken = 0;
        }

        var length = BinaryPrimitives.ReadInt32LittleEndian(_taking.WrittenSpan[_taken..]);
        _current = _taking.WrittenMemory.Slice(_taken + PrefixSize, length);
        _taken += PrefixSize + length;
        _hasCurrent = true;
        if (!_credit.CanSend)
        {
            _quietSince = _time.GetTimestamp();
        }

        return true;
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
