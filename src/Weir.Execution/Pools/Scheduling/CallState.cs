namespace Weir.Execution.Pools.Scheduling;

/// <summary>The state of a call in its pool.</summary>
internal enum CallState
{
    /// <summary>Not seen by the pool yet.</summary>
    New,

    /// <summary>Waits for a place; holds nothing in the pool.</summary>
    Waiting,

    /// <summary>Has a place; its caller writes the arguments.</summary>
    Admitted,

    /// <summary>Waits for a worker.</summary>
    Queued,

    /// <summary>Given to a worker that has not answered it. Whether it runs is <see cref="CallEntry.HasStarted"/>.</summary>
    Sent,

    /// <summary>It was lost when its worker's channel ended; it completes when the worker's exit status is known.</summary>
    Lost,

    /// <summary>Has left the pool.</summary>
    Ended,
}
