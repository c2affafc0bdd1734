namespace Weir.Execution.Pools.Scheduling;

/// <summary>A reusable list of actions, and of how long the calls among them had waited. One thread; bounded by what one event decides.</summary>
internal sealed class PoolActions
{
    private readonly List<TimeSpan> _waits = [];
    private PoolAction[] _actions = new PoolAction[8];

    /// <summary>Whether the waiting times of calls are measured.</summary>
    public bool MeasuresWaits { get; set; }

    /// <summary>How long each call that was given to a worker for the first time had waited; empty unless waiting times are measured.</summary>
    public IReadOnlyList<TimeSpan> Waits => _waits;

    public int Count { get; private set; }

    public PoolAction this[int index] => _actions[index];

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
            _waits.Add(wait);
        }
    }

    public void Clear()
    {
        _actions.AsSpan(0, Count).Clear();
        Count = 0;
        _waits.Clear();
    }
}
