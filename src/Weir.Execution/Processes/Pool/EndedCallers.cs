namespace Weir.Execution.Processes;

/// <summary>Callers whose calls ended while one worker's reader read: for a burst of them if they are many, for the thread pool otherwise. The reader only.</summary>
internal sealed class EndedCallers : IResumer
{
    // Bounded by what one read of the channel holds.
    private readonly List<IThreadPoolWorkItem> _continuations = [];

    public bool IsFree => Endings == 0;

    /// <summary>How many calls ended.</summary>
    public int Endings { get; private set; }

    public bool TryTake(IThreadPoolWorkItem continuation, int endings)
    {
        _continuations.Add(continuation);
        Endings += endings;
        return true;
    }

    /// <summary>Somebody else goes on with them. What bounds the list bounds the queue.</summary>
    public void MoveTo(Queue<IThreadPoolWorkItem> others)
    {
        foreach (var continuation in _continuations)
        {
            others.Enqueue(continuation);
        }

        Clear();
    }

    /// <summary>Each goes on by itself.</summary>
    public void GoOn()
    {
        foreach (var continuation in _continuations)
        {
            ThreadPool.UnsafeQueueUserWorkItem(continuation, preferLocal: false);
        }

        Clear();
    }

    private void Clear()
    {
        _continuations.Clear();
        Endings = 0;
    }
}
