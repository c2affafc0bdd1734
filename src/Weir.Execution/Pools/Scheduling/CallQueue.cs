namespace Weir.Execution.Pools.Scheduling;

/// <summary>The calls that wait for a worker, in order, and their expected total time. Bounded by the places of the pool.</summary>
internal sealed class CallQueue
{
    private readonly CallList _calls = new();

    public int Count => _calls.Count;

    public CallEntry? First => _calls.First;

    /// <summary>The total time of the calls whose time is known.</summary>
    public TimeSpan Time { get; private set; }

    /// <summary>How many calls have an unknown time.</summary>
    public int CallsOfUnknownTime { get; private set; }

    /// <summary>Since when it has not been empty. Valid only while it is not empty.</summary>
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
            CallsOfUnknownTime--;
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
            CallsOfUnknownTime++;
        }
    }
}
