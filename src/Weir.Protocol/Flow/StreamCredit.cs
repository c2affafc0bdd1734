using Weir.Protocol.Frames;

namespace Weir.Protocol.Flow;

/// <summary>
/// The credit of one stream of items, on the side that sends them: the sender takes credit and waits if there is none; the threads that read
/// the channels grant it.
/// </summary>
/// <param name="initial">The first credit, in bytes.</param>
internal sealed class StreamCredit(uint initial)
{
    private readonly Lock _lock = new();

    // Under the lock; there is one sender.
    private ItemCredit _credit = new(initial);
    private TaskCompletionSource? _waiter;

    /// <summary>Takes the cost of an item, as soon as the item may be sent.</summary>
    /// <exception cref="OperationCanceledException">The token fired while the credit was used up.</exception>
    public ValueTask TakeAsync(int payloadLength, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _credit.TryTake(payloadLength) ? default : new ValueTask(WaitAsync(payloadLength, cancellationToken));
        }
    }

    /// <summary>Adds what the other side granted. Never runs the sender's code.</summary>
    /// <exception cref="FrameException">More than may be outstanding was granted.</exception>
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
