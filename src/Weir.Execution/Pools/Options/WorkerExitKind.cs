namespace Weir.Execution.Pools.Options;

/// <summary>How a worker's life ended, for those who count.</summary>
internal enum WorkerExitKind
{
    /// <summary>As it was told to.</summary>
    Left,

    /// <summary>It never became ready.</summary>
    Start,

    /// <summary>It was lost while it ran a call.</summary>
    Call,

    /// <summary>It was lost while it had nothing to do.</summary>
    Idle,

    /// <summary>It was told to leave, and was killed because it did not.</summary>
    Leaving,

    /// <summary>The host failed in it: a fault of Weir.</summary>
    Fault,
}
