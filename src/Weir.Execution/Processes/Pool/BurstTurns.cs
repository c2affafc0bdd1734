namespace Weir.Execution.Processes;

/// <summary>
/// When one worker's reader leaves the reading to a burst of its callers, and when it takes it back. It pays where answers come as fast
/// as callers go on; where calls take longer, the burst would take the processor from whoever runs them.
/// </summary>
/// <param name="right">The right to read.</param>
/// <param name="bursts">The pool's.</param>
internal sealed class BurstTurns(ReadRight right, PoolBursts bursts)
{
    // What going on with a caller takes, with what it calls next.
    private static readonly TimeSpan ShortCall = TimeSpan.FromMicroseconds(2);

    // A burst that went on so often was worth the hand-over, which is two wake-ups.
    private const int WorthRounds = 4;

    // Times of reading many answers without a burst after some that were not worth it.
    private const int MostSkipped = 4;

    // The reader only.
    private readonly EndedCallers _callers = new();
    private CallBurst? _burst;
    private int _skipped;

    // Written by whoever ends a burst.
    private volatile int _toSkip;

    /// <summary>The reader is about to read answers.</summary>
    /// <param name="perCall">What a call took before; zero when that is not known.</param>
    /// <returns>Takes whoever goes on with them; <c>null</c> for the thread pool.</returns>
    public IResumer? Begin(TimeSpan perCall)
    {
        if (perCall == TimeSpan.Zero || perCall > ShortCall || !right.TakesPromises)
        {
            return null;
        }

        if (_skipped < _toSkip)
        {
            _skipped++;
            return null;
        }

        return _callers;
    }

    /// <summary>It has read them. Where they are many, a burst reads on, and the reader is to nap.</summary>
    /// <param name="reader">The reader; <c>null</c> where nothing more is to be read.</param>
    public void End(IBurstReader? reader)
    {
        if (reader is not null && _callers.Endings >= CallBurst.Least)
        {
            // Before the burst can end.
            right.HandOver();
            _skipped = 0;
            _burst = bursts.TryTake(reader, _callers);
            if (_burst is null)
            {
                right.TakeBack();
            }
        }

        _callers.GoOn();
    }

    /// <summary>The reader reads again.</summary>
    public void TakeBack(IBurstReader reader)
    {
        _burst?.GiveUp(reader);
        _burst = null;
    }

    /// <summary>The burst has ended. Any thread.</summary>
    public void Ended(int rounds)
    {
        _toSkip = rounds >= WorthRounds ? 0 : Math.Clamp(2 * _toSkip, 1, MostSkipped);
        right.TakeBack();
    }
}
