namespace Weir.Execution.Pools.Scheduling;

/// <summary>Where a call stands in its pool.</summary>
internal enum CallState
{
    /// <summary>Not seen by the pool yet.</summary>
    New,

    /// <summary>Waits for a place; holds nothing but itself.</summary>
    Waiting,

    /// <summary>Has a place; its caller writes the arguments.</summary>
    Admitted,

    /// <summary>Waits for a worker.</summary>
    Queued,

    /// <summary>Given to a worker that has not answered it. Whether it runs is <see cref="CallEntry.HasStarted"/>.</summary>
    Sent,

    /// <summary>Its worker's channel has ended and took it along; its ending waits for the worker's exit status.</summary>
    Lost,

    /// <summary>Has left the pool.</summary>
    Ended,
}
