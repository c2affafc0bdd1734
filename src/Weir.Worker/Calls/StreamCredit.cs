using Weir.Protocol.Flow;
using Weir.Protocol.Frames;

namespace Weir.Worker.Calls;

/// <summary>The credit of one stream: its producer takes credit and waits if there is none; the threads that read the channels grant it.</summary>
internal sealed class StreamCredit(uint initial)
{
    private readonly Lock _lock = new();
    private ItemCredit _credit = new(initial);      // Under the lock.
    private TaskCompletionSource? _waiter;      // Under the lock; there is one producer.

    /// <summary>Takes the cost of an item, as soon as the item may be sent.</summary>
    /// <exception cref="OperationCanceledException">The token fired while the credit was used up.</exception>
    public ValueTask TakeAsync(int payloadLength, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _credit.TryTake(payloadLength) ? default : new ValueTask(WaitAsync(payloadLength, cancellationToken));
        }
    }

    /// <summary>Adds what the host granted. Never runs the producer's code.</summary>
    /// <exception cref="FrameException">The host granted more than may be outstanding.</exception>
    public void Grant(uint bytes)
    {
        lock (_lock)
        {
            _credit.Grant(bytes);
            if (_credit.CanSend)
            {
                _waiter?.TrySetResult();
            }
        }
    }

    private async Task WaitAsync(int payloadLength, CancellationToken cancellationToken)
    {
        while (true)
        {
            Task more;
            lock (_lock)
            {
                if (_credit.TryTake(payloadLength))
                {
                    return;
                }

                _waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                more = _waiter.Task;
            }

            await more.WaitAsync(cancellationToken);
        }
    }
}
