using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Threading;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// Sends the items of one call's streamed request to the worker that runs it, no faster than the worker allows: credit counts bytes,
/// and one item may overdraw. Nothing of the caller's runs before the worker asks for the first item; from then on the call belongs
/// to that worker. When the call has its ending the caller's items are told by their token, and disposed when they return. Nobody
/// waits for that: they may not heed it, and what the caller is told must not depend on it.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The token is the collector's: the caller's code may still hold it. The buffer is given back when the items have ended.")]
internal sealed class RequestSender : IWorkItem
{
    private readonly Operation _operation;
    private readonly int _mostPayload;
    private readonly CallExceptions _endings;
    private readonly ItemSource _items;
    private readonly CancellationTokenSource _stopping = new();

    // The caller's items run as if the caller had enumerated them.
    private readonly ExecutionContext? _flow = ExecutionContext.Capture();

    private readonly Lock _gate = new();

    // Under _gate. The worker's reader grants, the sending flow takes, and waits where it stands.
    private ItemCredit _credit;
    private TaskCompletionSource? _more;

    // Set by the first credit, before anything is sent.
    private IFrameSender? _worker;
    private ulong _callId;

    // The sending flow only.
    private readonly PayloadWriter _item = new();
    private long _count;

    private volatile bool _isStopped;
    private volatile Exception? _failure;

    /// <param name="call">Its items are set.</param>
    /// <param name="mostPayload">What one item may take, in bytes.</param>
    /// <param name="endings">What the caller is told of an item that takes more.</param>
    /// <exception cref="ArgumentNullException">The caller gave no items.</exception>
    public RequestSender(Call call, int mostPayload, CallExceptions endings)
    {
        _operation = call.Operation;
        _mostPayload = mostPayload;
        _endings = endings;
        _items = call.OpenItems(_stopping.Token);
    }

    /// <summary>What ended the items before their end; <c>null</c> while nothing has. Set before the worker is told.</summary>
    public Exception? Failure => _failure;

    /// <summary>The worker wants so much more. Its reader only, which runs nothing of the caller's.</summary>
    /// <exception cref="FrameException">It wants more than anybody needs.</exception>
    public void Grant(IFrameSender worker, ulong callId, uint bytes)
    {
        lock (_gate)
        {
            _credit.Grant(bytes);
            if (_credit.CanSend)
            {
                _more?.TrySetResult();
            }
        }

        if (_worker is null && !_isStopped)
        {
            _worker = worker;
            _callId = callId;
            Callbacks.Queue(this);
        }
    }

    /// <summary>The call has its ending: nothing more is sent. Any thread; runs nothing of the caller's.</summary>
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
            // The call has its ending; nobody asks what became of its items.
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
            if (_item.Length > _mostPayload)
            {
                throw _endings.ItemTooLarge(_operation, _count, _item.Length);
            }

            await TakeCreditAsync();
            Send((sender: this, flags: encoding == ResultEncoding.Raw ? FrameFlags.Raw : FrameFlags.None), static (frames, item) =>
            {
                frames.Begin(FrameType.Item, item.sender._callId, item.flags);
                frames.Write(item.sender._item.WrittenSpan);
                frames.End();
            });
        }
    }

    private async ValueTask TakeCreditAsync()
    {
        while (true)
        {
            Task more;
            lock (_gate)
            {
                if (_credit.TryTake(_item.Length))
                {
                    return;
                }

                _more = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                more = _more.Task;
            }

            await more.WaitAsync(_stopping.Token);
        }
    }

    // A message is the caller's code.
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
