namespace Weir.Execution.Processes;

/// <summary>What the pool's table knows of one call. Every field under the pool's lock.</summary>
internal class CallEntry
{
    public CallState State { get; set; }

    /// <summary>The worker it was given to; <c>null</c> before and after.</summary>
    public WorkerEntry? Worker { get; set; }

    /// <summary>Its number on that worker's channel.</summary>
    public ulong CallId { get; set; }

    /// <summary>Its caller has had an ending; the worker has not answered yet.</summary>
    public bool CallerGone { get; set; }

    /// <summary>How many workers ended before they had started it.</summary>
    public int Moves { get; set; }

    // Of the one list it is in.
    internal CallEntry? Previous { get; set; }

    internal CallEntry? Next { get; set; }

    /// <summary>As good as new, for another call; after it has left the pool.</summary>
    internal void Reset()
    {
        State = CallState.New;
        Worker = null;
        CallId = 0;
        CallerGone = false;
        Moves = 0;
    }
}
