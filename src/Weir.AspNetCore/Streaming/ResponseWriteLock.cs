using System.Threading.Tasks.Sources;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Which side may write a stream's response: one field, changed by compare-and-swap. The producer holds the lock, except
/// while it waits for its next item; during that time a timer may take it to send items that wait too long. No queue, no second
/// thread per stream.
/// </summary>
internal sealed class ResponseWriteLock : IValueTaskSource
{
    private const int Producer = 0;
    private const int Free = 1;
    private const int Timer = 2;
    private const int TimerWithProducerWaiting = 3;

    private int _holder = Producer;
    private ManualResetValueTaskSourceCore<bool> _handOver = new() { RunContinuationsAsynchronously = true };

    /// <summary>Producer's side: releases the lock.</summary>
    internal void Release() => Volatile.Write(ref _holder, Free);

    /// <summary>Producer's side: takes the lock if it is free.</summary>
    internal bool TryAcquire() => Interlocked.CompareExchange(ref _holder, Producer, Free) == Free;

    /// <summary>Producer's side: takes the lock, if necessary after the timer has released it.</summary>
    internal ValueTask AcquireAsync()
    {
        while (!TryAcquire())
        {
            // Reset before the timer can see the waiter: it completes the hand-over as soon as it does.
            _handOver.Reset();
            if (Interlocked.CompareExchange(ref _holder, TimerWithProducerWaiting, Timer) == Timer)
            {
                return new ValueTask(this, _handOver.Version);
            }
        }

        return default;
    }

    /// <summary>Timer's side: takes the lock if it is free.</summary>
    internal bool TryTake() => Interlocked.CompareExchange(ref _holder, Timer, Free) == Free;

    /// <summary>Timer's side: releases the lock, or passes it to the producer if it waits.</summary>
    internal void Return()
    {
        if (Interlocked.CompareExchange(ref _holder, Free, Timer) != Timer)
        {
            Volatile.Write(ref _holder, Producer);
            _handOver.SetResult(true);
        }
    }

    void IValueTaskSource.GetResult(short token) => _handOver.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _handOver.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _handOver.OnCompleted(continuation, state, token, flags);
}
