namespace Weir.Execution.Pools.Scheduling;

/// <summary>Why the host kills a worker.</summary>
internal enum KillReason
{
    /// <summary>It does not.</summary>
    None,

    /// <summary>Its call was cancelled and it did not answer within the grace.</summary>
    IgnoredCancel,

    /// <summary>It was asked to exit and did not.</summary>
    DidNotExit,

    /// <summary>It broke the protocol.</summary>
    BrokeProtocol,

    /// <summary>It was still starting when the pool drained, became a new generation, or went back to the one before.</summary>
    NotNeeded,

    /// <summary>The pool is stopped without waiting.</summary>
    Stopping,

    /// <summary>It had calls, started none of them, and gave no response in time.</summary>
    Stalled,

    /// <summary>An operator asked for it.</summary>
    Asked,
}
