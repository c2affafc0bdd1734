namespace Weir.Execution.Pools.Scheduling;

/// <summary>Why the host ends a worker.</summary>
internal enum KillReason
{
    /// <summary>It does not.</summary>
    None,

    /// <summary>Its call was cancelled and it did not answer within the grace.</summary>
    IgnoredCancel,

    /// <summary>It was told to leave and did not.</summary>
    DidNotLeave,

    /// <summary>It broke the protocol.</summary>
    BrokeProtocol,

    /// <summary>It was still starting when the pool drained, became a new generation, or went back to the one before.</summary>
    NotNeeded,

    /// <summary>The pool is stopped without waiting.</summary>
    Stopping,

    /// <summary>It had calls, started none of them, and did not show that it lives.</summary>
    Stalled,
}
