using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Threading;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// Sends the items of one call's streamed request to the worker that runs it, no faster than the worker allows: credit counts bytes,
/// and one item may exceed it. None of the caller's code runs before the worker asks for the first item; from then on the call is
/// bound to that worker. When the call has its outcome, the token of the caller's items is cancelled, and they are disposed when they
/// return. Nothing waits for that: they may ignore the token, and the outcome must not depend on it.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The token is the collector's: the caller's code may still hold it. The buffer is given back when the items have ended.")]
internal sealed class RequestSender : IWorkItem
{
    private readonly Operation _operation;
    private readonly int _mostPayload;
    private readonly CallExceptions _exceptions;
    private readonly ItemSource _items;
    private readonly CancellationTokenSource _stopping = new();

    // The caller's items run as if the caller had enumerated them.
    private readonly ExecutionContext? _flow = ExecutionContext.Capture();

    // The worker's reader grants; the sending flow takes, and waits where there is too little.
    private readonly StreamCredit _credit = new(initial: 0);

    // Set by the first credit, before anything is sent.
    private IFrameSender? _worker;
    private ulong _callId;

    // The sending flow only.
    private readonly PayloadWriter _item = new() { IsForWorker = true };
    private long _count;

    private volatile bool _isStopped;
    private volatile Exception? _failure;

    /// <param name="call">Its items are set.</param>
    /// <param name="mostPayload">The most that one item may take, in bytes.</param>
    /// <param name="exceptions">Creates the exception for an item that takes more.</param>
    /// <exception cref="ArgumentNullException">The caller gave no items.</exception>
    public RequestSender(Call call, int mostPayload, CallExceptions exceptions)
    {
        _operation = call.Operation;
        _mostPayload = mostPayload;
        _exceptions = exceptions;
        _items = call.OpenItems(_stopping.Token);
    }

    /// <summary>Why the items stopped before their end; <c>null</c> while nothing has stopped them. Set before the worker is notified.</summary>
    public Exception? Failure => _failure;

    /// <summary>The worker grants so many more bytes. Only its reader calls this; it runs none of the caller's code.</summary>
    /// <exception cref="FrameException">More credit than may be outstanding.</exception>
    public void Grant(IFrameSender worker, ulong callId, uint bytes)
    {
        _credit.Grant(bytes);
        if (_worker is null && !_isStopped)
        {
            _worker = worker;
            _callId = callId;
            Callbacks.Queue(this);
        }
    }

    /// <summary>The call has its outcome: nothing more is sent. Any thread; runs none of the caller's code.</summary>
    public void Stop()
    {
        if (!_isStopped)
        {
            _isStopped = true;
            _ = _stopping.CancelAsync();
        }
    }

    void IWorkItem.Run()
    {
        if (_flow is null)
        {
            _ = SendAsync();
        }
        else
        {
            ExecutionContext.Run(_flow, static sender => _ = ((RequestSender)sender!).SendAsync(), this);
        }
    }

    void IWorkItem.OnFailed(Exception failure) => Abort(failure);

    // Throws nothing.
    private async Task SendAsync()
    {
        try
        {
            await using (_items)
            {
                await SendAllAsync();
            }

            Send(_callId, static (frames, callId) => frames.Append(FrameType.End, callId));
        }
        catch (Exception) when (_isStopped)
        {
            // The call has its outcome; how its items ended does not matter any more.
        }
        catch (Exception failure)
        {
            Abort(failure);
        }

        _item.Dispose();
    }

    private void Abort(Exception failure)
    {
        _failure = failure;
        Send((callId: _callId, message: Describe(failure)), static (frames, end) => new AbortPayload(AbortReason.CallerFailed, end.message).Write(frames, end.callId));
    }

    private async ValueTask SendAllAsync()
    {
        _stopping.Token.ThrowIfCancellationRequested();
        for (; await _items.MoveNextAsync(); _count++)
        {
            _stopping.Token.ThrowIfCancellationRequested();
            var encoding = _items.CurrentEncoding;
            _item.Clear();
            _items.WriteCurrent(_item);
            var isPiece = _operation.ContentParameter is not null && encoding == ResultEncoding.Raw;
            if (_item.Length > _mostPayload && !isPiece)
            {
                throw _exceptions.ItemTooLarge(_operation, _count, _item.Length);
            }

            // Only pieces of content are longer: they have no boundaries.
            var start = 0;
            for (; _item.Length - start > _mostPayload; start += _mostPayload)
            {
                await SendAsync(start, _mostPayload, encoding);
            }

            await SendAsync(start, _item.Length - start, encoding);
        }
    }

    private async ValueTask SendAsync(int start, int length, ResultEncoding encoding)
    {
        await _credit.TakeAsync(length, _stopping.Token);
        Send((sender: this, start, length, flags: encoding == ResultEncoding.Raw ? FrameFlags.Raw : FrameFlags.None), static (frames, item) =>
        {
            frames.Begin(FrameType.Item, item.sender._callId, item.flags);
            frames.Write(item.sender._item.WrittenSpan.Slice(item.start, item.length));
            frames.End();
        });
    }

    // The message is the caller's code.
    private static string Describe(Exception failure)
    {
        try
        {
            return $"{failure.GetType()}: {failure.Message}";
        }
        catch (Exception)
        {
            return failure.GetType().ToString();
        }
    }

    private void Send<TState>(TState state, Action<FrameWriter, TState> write)
    {
        if (!_isStopped)
        {
            _worker!.SendData(state, write);
        }
    }
}
