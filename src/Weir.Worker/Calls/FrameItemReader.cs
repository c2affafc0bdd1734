using System.Diagnostics.CodeAnalysis;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Worker.Channels;

namespace Weir.Worker.Calls;

/// <summary>
/// The items of one call's streamed request: they wait here, bounded by credit, until the operation takes them. No credit is granted
/// before the operation asks for the first one, so that the caller's source does not run before. The data thread adds items, one flow takes them.
/// </summary>
/// <param name="callId">The call.</param>
/// <param name="output">Where CREDIT is sent.</param>
/// <param name="content">What kind of content it is; <c>null</c> for items of values.</param>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class FrameItemReader(ulong callId, DataOutput output, ParameterSource? content = null) : ItemReader
{
    // Held while CREDIT is sent, which may wait for the host to read. Taken before _lock.
    private readonly Lock _granting = new();
    private readonly FrameWriter _frames = new();   // Under _granting.

    // Never held during a wait: the data thread takes it.
    private readonly Lock _lock = new();

    // Under _lock, except for the current item, which the operation reads.
    private readonly ItemQueue _items = new(isOpen: false);
    private bool _hasItems;
    private bool _hasEnded;
    private bool _isClosed;                         // Written under both locks.
    private Exception? _failure;
    private TaskCompletionSource? _waiter;

    // Set before the operation runs, where its code reads without the call's token.
    private CancellationToken _call;

    public override string Source => "frame";

    public override bool AcceptsNull => true;

    public override ReadOnlyMemory<byte> Current => _items.Current;

    public override ResultEncoding CurrentEncoding => _items.CurrentEncoding;

    /// <summary>Lets the call's token end every wait, whatever token the operation reads with. Before the operation runs.</summary>
    public void EndWith(CancellationToken call) => _call = call;

    /// <summary>Takes an item, END or ABORT. The data thread only; copies.</summary>
    /// <exception cref="FrameException">The host sent more than it was allowed, something after the end, or what content does not have.</exception>
    public void Accept(in Frame frame)
    {
        lock (_lock)
        {
            if (_hasEnded)
            {
                throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type} of call {callId} after the end of its items");
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

            // The first time the whole window; afterwards the bytes of the items that the operation has finished with.
            grant = _hasEnded ? 0 : _items.PassOn();
            if (_items.TryTake())
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

    /// <summary>Drops items from now on and grants nothing more; the host stops when it has the outcome of the call.</summary>
    public override ValueTask StopAsync()
    {
        lock (_lock)
        {
            _items.Dispose();
        }

        return default;
    }

    /// <summary>Called before the outcome is sent: no CREDIT may follow it, whatever the operation's code still does.</summary>
    public void Close()
    {
        lock (_granting)
        {
            lock (_lock)
            {
                // The operation may still read the current item.
                _isClosed = true;
                _items.Stop();
                _waiter?.TrySetResult();
            }

            _frames.Dispose();
        }
    }

    private async Task<bool> WaitAsync(Task news, CancellationToken cancellationToken)
    {
        if (_call.CanBeCanceled && cancellationToken.CanBeCanceled && _call != cancellationToken)
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(_call, cancellationToken);
            await news.WaitAsync(either.Token);
        }
        else
        {
            await news.WaitAsync(cancellationToken.CanBeCanceled ? cancellationToken : _call);
        }

        lock (_lock)
        {
            ThrowIfClosed_NeedsLock();
            return _items.TryTake() || (_failure is null ? false : throw _failure);
        }
    }

    private void Add_NeedsLock(in Frame item)
    {
        var isRaw = (item.Flags & FrameFlags.Raw) != 0;
        if (content == ParameterSource.Stream && !isRaw)
        {
            throw new FrameException(FrameError.MalformedPayload, $"an item of call {callId}, whose content is bytes, is not RAW");
        }

        if (content == ParameterSource.File && isRaw && !_hasItems)
        {
            throw new FrameException(FrameError.MalformedPayload, $"bytes of call {callId} before the first description of a file");
        }

        _hasItems = true;
        if (!_items.TryAdd(item))
        {
            throw new FrameException(FrameError.CreditOverflow, $"an item of call {callId} without credit");
        }
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

    private void ThrowIfClosed_NeedsLock()
    {
        if (_isClosed)
        {
            throw new InvalidOperationException("The items of a streamed request end with its call.");
        }
    }
}
