using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>The bursts of one pool: as many at once as find two processors, one for the burst and one for whom it calls. Any thread.</summary>
/// <param name="most">How many.</param>
internal sealed class PoolBursts(int most)
{
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly List<CallBurst> _running = [];

    // What the pool sends ahead to a worker is done by then, unless that lost its processor for a while.
    private static readonly TimeSpan LongestPoll = SpinRule.LongYield;

    /// <summary>Those of a pool on this machine; none where the pool does not poll.</summary>
    public static PoolBursts OnThisMachine(bool polls) => new(polls ? Environment.ProcessorCount / 2 : 0);

    /// <summary>A burst goes on with a worker's callers: a new one, or, where there are as many as may be, one that reads for other workers.</summary>
    /// <returns><c>null</c> when there is none just now; nobody has the callers then.</returns>
    public CallBurst? TryTake(IBurstReader reader, EndedCallers callers)
    {
        lock (_gate)
        {
            return _running.Count < most ? Start(reader, callers) : _running.Find(running => running.TryAdd(reader, callers));
        }
    }

    /// <summary>Every call that was made in a burst so far is the pool's when this returns.</summary>
    public void LetGo()
    {
        CallBurst[] running;
        lock (_gate)
        {
            running = [.. _running];
        }

        foreach (var burst in running)
        {
            burst.LetGo();
        }
    }

    /// <summary>A burst has ended.</summary>
    public void Remove(CallBurst burst)
    {
        lock (_gate)
        {
            _running.Remove(burst);
        }
    }

    private CallBurst Start(IBurstReader reader, EndedCallers callers)
    {
        var burst = new CallBurst(this, AnswerPoll.OfThreadPool(LongestPoll));
        burst.TryAdd(reader, callers);
        _running.Add(burst);
        ThreadPool.UnsafeQueueUserWorkItem(burst, preferLocal: false);
        return burst;
    }
}
