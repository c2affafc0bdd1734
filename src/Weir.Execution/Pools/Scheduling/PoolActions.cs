namespace Weir.Execution.Pools.Scheduling;

/// <summary>A reusable list of actions, and of how long the calls among them had waited. One thread; bounded by what one event decides.</summary>
internal sealed class PoolActions
{
    private TimeSpan[] _waits = new TimeSpan[8];
    private PoolAction[] _actions = new PoolAction[8];

    /// <summary>Whether the waiting times of calls are measured.</summary>
    public bool MeasuresWaits { get; set; }

    /// <summary>How long each call that was given to a worker for the first time had waited; empty unless waiting times are measured.</summary>
    public ReadOnlySpan<TimeSpan> Waits => _waits.AsSpan(0, WaitCount);

    public int WaitCount { get; private set; }

    public int Count { get; private set; }

    public PoolAction this[int index]
    {
        get => _actions[index];
        set => _actions[index] = value;
    }

    public void Add(PoolActionKind kind, WorkerEntry? worker = null, CallEntry? call = null, ulong callId = 0)
    {
        if (Count == _actions.Length)
        {
            Array.Resize(ref _actions, Count * 2);
        }

        _actions[Count++] = new PoolAction(kind, worker, call, callId);
    }

    public void AddWait(TimeSpan wait)
    {
        if (MeasuresWaits)
        {
            if (WaitCount == _waits.Length)
            {
                Array.Resize(ref _waits, WaitCount * 2);
            }

            _waits[WaitCount++] = wait;
        }
    }

    /// <summary>Keeps only the first actions.</summary>
    public void Truncate(int count)
    {
        Array.Clear(_actions, count, Count - count);
        Count = count;
    }

    public void Clear()
    {
        Truncate(0);
        WaitCount = 0;
    }
}
