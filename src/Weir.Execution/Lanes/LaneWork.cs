namespace Weir.Execution.Lanes;

/// <summary>One thing to run on a thread of the lane. The lane's lock protects the links and the state.</summary>
internal abstract class LaneWork
{
    // The queue is a list through these fields, so that a cancelled call is removed at once.
    internal LaneWork? Previous;
    internal LaneWork? Next;
    internal bool IsQueued;
    internal bool HasLeft; // Cancelled before it was queued.
    internal long QueuedAt;

    /// <summary>Runs on a thread of the lane; must not throw.</summary>
    internal abstract void Execute();

    /// <summary>It was removed from the queue and will not run; must not throw.</summary>
    internal abstract void Reject(CallRejectedException reason);
}
