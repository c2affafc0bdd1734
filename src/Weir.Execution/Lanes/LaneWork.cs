namespace Weir.Execution.Lanes;

/// <summary>One thing to run on a thread of the lane. The lane's lock guards the links and the state.</summary>
internal abstract class LaneWork
{
    // The queue is a list through these fields, so that a caller who leaves is taken out at once.
    internal LaneWork? Previous;
    internal LaneWork? Next;
    internal bool IsQueued;
    internal bool HasLeft; // Before it was queued.
    internal long QueuedAt;

    /// <summary>Runs on a thread of the lane; must not throw.</summary>
    internal abstract void Execute();

    /// <summary>It was taken out of the queue and will not run; must not throw.</summary>
    internal abstract void Reject(CallRejectedException reason);
}
