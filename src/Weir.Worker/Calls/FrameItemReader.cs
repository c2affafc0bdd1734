using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Weir.Protocol;
using Weir.Worker.Channels;

namespace Weir.Worker.Calls;

/// <summary>
/// The items of one call's streamed request: they wait here, bounded by credit, until the operation takes them. No credit is given
/// before the first is asked for, so that until then nothing of the caller's runs. The data thread brings items, one flow takes them.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class FrameItemReader(ulong callId, DataOutput output) : ItemReader
{
    /// <summary>What may wait here, in bytes of whole frames; one item may exceed it.</summary>
    public const int Window = 256 * 1024;

    // Granted in quarters: often enough that the host does not wait, seldom enough to cost nothing.
    private const int LeastGrant = Window / 4;
    private const int LargestKept = 1 << 20;

    // In front of each item: its length, and how it is encoded.
    private const int PrefixSize = 5;

    // Held while CREDIT is said, which may wait for the host to read. Taken before _lock.
    private readonly Lock _granting = new();
    private readonly FrameWriter _frames = new();   // Under _granting.

    // Never held while anything is waited for: the data thread takes it.
    private readonly Lock _lock = new();

    // Under _lock.
    private PayloadWriter _filling = new();
    private PayloadWriter _taking = new();
    private int _taken;
    private Credit _credit;
    private int _ungranted = Window;
    private bool _hasEnded;
    private bool _isStopped;
    private bool _isClosed;                         // Written under both.
    private Exception? _failure;
    private TaskCompletionSource? _waiter;

    // The operation's flow only.
    private ReadOnlyMemory<byte> _current;
    private ResultEncoding _encoding;
    private bool _hasCurrent;

    public override string Source => "frame";

    public override ReadOnlyMemory<byte> Current => _current;

    public override ResultEncoding CurrentEncoding => _encoding;

    /// <summary>Takes an item, END or ABORT. The data thread only; copies.</summary>
    /// <exception cref="FrameException">The host sent more than it was allowed, or something behind the end.</exception>
    public void Accept(in Frame frame)
    {
        lock (_lock)
        {
            if (_hasEnded)
            {
                throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type} of call {callId} behind the end of its items");
            }

            switch (frame.Type)
            {
                case FrameType.Item:
                    Add_NeedsLock(frame);
                    break;
                case FrameType.Abort:
                    _failure = new AbortedRequestException(callId, AbortPayload.Read(frame.Payload).Message);
                    _hasEnded = true;
                    break;
                default:
                    _hasEnded = true;
                    break;
            }

            _waiter?.TrySetResult();
        }
    }

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        uint grant;
        ValueTask<bool> result;
        lock (_lock)
        {
            ThrowIfClosed_NeedsLock();
            grant = PassOn_NeedsLock();
            if (TryTake_NeedsLock())
            {
                result = new ValueTask<bool>(true);
            }
            else if (_hasEnded)
            {
                result = _failure is null ? new ValueTask<bool>(false) : ValueTask.FromException<bool>(_failure);
            }
            else
            {
                _waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                result = new ValueTask<bool>(WaitAsync(_waiter.Task, cancellationToken));
            }
        }

        if (grant > 0)
        {
            Grant(grant);
        }

        return result;
    }

    /// <summary>What comes from now on is dropped, and nothing more is granted; the host stops when it has the call's ending.</summary>
    public override ValueTask StopAsync()
    {
        lock (_lock)
        {
            _isStopped = true;
            _current = default;
            _filling.Dispose();
            _taking.Dispose();
        }

        return default;
    }

    /// <summary>The call is about to say its ending: no CREDIT may follow it, whatever the operation's code still does.</summary>
    public void Close()
    {
        lock (_granting)
        {
            lock (_lock)
            {
                // The other buffer may still be looked at.
                _isClosed = true;
                _filling.Dispose();
                _waiter?.TrySetResult();
            }

            _frames.Dispose();
        }
    }

    private async Task<bool> WaitAsync(Task news, CancellationToken cancellationToken)
    {
        await news.WaitAsync(cancellationToken);
        lock (_lock)
        {
            ThrowIfClosed_NeedsLock();
            return TryTake_NeedsLock() || (_failure is null ? false : throw _failure);
        }
    }

    private void Add_NeedsLock(in Frame item)
    {
        if (!_credit.TryTake(item.Payload.Length))
        {
            throw new FrameException(FrameFault.CreditOverflow, $"an item of call {callId} without credit");
        }

        if (_isStopped || _isClosed)
        {
            return;
        }

        var prefix = _filling.GetSpan(PrefixSize);
        BinaryPrimitives.WriteInt32LittleEndian(prefix, item.Payload.Length);
        prefix[PrefixSize - 1] = (item.Flags & FrameFlags.Raw) != 0 ? (byte)ResultEncoding.Raw : (byte)ResultEncoding.Json;
        _filling.Advance(PrefixSize);
        _filling.Write(item.Payload);
    }

    // The first time the whole window; afterwards what the operation has moved past.
    private uint PassOn_NeedsLock()
    {
        if (_hasCurrent)
        {
            _hasCurrent = false;
            _ungranted += Credit.CostOf(_current.Length);
        }

        if (_ungranted < LeastGrant || _hasEnded)
        {
            return 0;
        }

        var grant = (uint)_ungranted;
        _ungranted = 0;
        _credit.Grant(grant);
        return grant;
    }

    private void Grant(uint bytes)
    {
        lock (_granting)
        {
            if (_isClosed)
            {
                return;
            }

            new CreditPayload(bytes).Write(_frames, callId);
            output.Add(_frames);
        }

        output.Flush();
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

        var prefix = _taking.WrittenSpan[_taken..];
        var length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
        _encoding = (ResultEncoding)prefix[PrefixSize - 1];
        _current = _taking.WrittenMemory.Slice(_taken + PrefixSize, length);
        _taken += PrefixSize + length;
        _hasCurrent = true;
        return true;
    }

    private void ThrowIfClosed_NeedsLock()
    {
        if (_isClosed)
        {
            throw new InvalidOperationException("The items of a streamed request end with its call.");
        }
    }
}
