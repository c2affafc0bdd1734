namespace Weir.Execution.Pools.Scheduling;

/// <summary>The calls that wait for a worker, in order, and what they will take together. Bounded by the places of the pool.</summary>
internal sealed class CallQueue
{
    private readonly CallList _calls = new();

    public int Count => _calls.Count;

    public CallEntry? First => _calls.First;

    /// <summary>What those take that are expected to take a known time.</summary>
    public TimeSpan Time { get; private set; }

    /// <summary>How many take nobody knows how long.</summary>
    public int Unsure { get; private set; }

    /// <summary>Since when there has always been a call. Only while there is one.</summary>
    public TimeSpan Since { get; private set; }

    public void AddLast(CallEntry call, TimeSpan now)
    {
        Enter(call, now);
        _calls.AddLast(call);
    }

    /// <summary>Before all others: it had its turn already.</summary>
    public void AddFirst(CallEntry call, TimeSpan now)
    {
        Enter(call, now);
        _calls.AddFirst(call);
    }

    public void Remove(CallEntry call)
    {
        _calls.Remove(call);
        if (call.Expected is { } time)
        {
            Time -= time;
        }
        else
        {
            Unsure--;
        }
    }

    private void Enter(CallEntry call, TimeSpan now)
    {
        if (_calls.Count == 0)
        {
            Since = now;
        }

        call.State = CallState.Queued;
        call.Worker = null;
        call.CallId = 0;
        call.Expected = call.IsStreamed ? null : call.Time?.Usual;
        if (call.Expected is { } time)
        {
            Time += time;
        }
        else
        {
            Unsure++;
        }
    }
}
