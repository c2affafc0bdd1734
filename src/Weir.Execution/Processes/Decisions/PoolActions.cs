namespace Weir.Execution.Processes;

/// <summary>A reusable list of actions. One thread.</summary>
internal sealed class PoolActions
{
    private PoolAction[] _actions = new PoolAction[8];

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

    public void Clear()
    {
        _actions.AsSpan(0, Count).Clear();
        Count = 0;
    }
}
