namespace Weir.Execution.Processes;

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

    /// <summary>Given to a worker that has not said STARTED.</summary>
    Sent,

    /// <summary>Runs in a worker.</summary>
    Started,

    /// <summary>Was running when its worker's channel ended; its ending waits for the worker's exit status.</summary>
    Lost,

    /// <summary>Has left the pool.</summary>
    Ended,
}
