namespace Weir.Execution.Pools.Options;

/// <summary>How a worker ended, for the metrics.</summary>
internal enum WorkerExitKind
{
    /// <summary>It exited as it was asked to.</summary>
    Drained,

    /// <summary>It never became ready.</summary>
    Start,

    /// <summary>It was lost while it ran a call.</summary>
    Call,

    /// <summary>It was lost while it ran no call.</summary>
    Idle,

    /// <summary>It was asked to exit, and was killed because it did not.</summary>
    Drain,

    /// <summary>The host failed while it handled the worker: an error in Weir.</summary>
    Internal,
}
