namespace Weir.Execution.Processes;

/// <summary>What a decision may ask for.</summary>
internal enum PoolActionKind
{
    /// <summary>Tell a waiting caller that its call has a place.</summary>
    Admit,

    /// <summary>Send the call to the worker.</summary>
    Dispatch,

    /// <summary>Ask the worker to give the call up.</summary>
    Cancel,

    /// <summary>Start a process.</summary>
    Spawn,

    /// <summary>Tell the worker to leave.</summary>
    Retire,

    /// <summary>End the process and all it started.</summary>
    Kill,

    /// <summary>End the call: the queue is full.</summary>
    RejectFull,

    /// <summary>End the call: the pool drains.</summary>
    RejectDraining,

    /// <summary>End the call: no worker can be started.</summary>
    FailStart,

    /// <summary>End the call: the worker that ran it is gone.</summary>
    FailLost,

    /// <summary>End the call: its worker broke the protocol.</summary>
    FailViolation,

    /// <summary>Everything has ended and every process is reaped.</summary>
    Drained,
}
