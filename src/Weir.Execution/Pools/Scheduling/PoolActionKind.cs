namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a decision may ask for.</summary>
internal enum PoolActionKind
{
    /// <summary>Tell a waiting caller that its call has a place.</summary>
    Admit,

    /// <summary>Send the call to the worker under the number of the action. The call may be somebody else's by then: the frame is sent all the same, the channel has no gaps.</summary>
    Dispatch,

    /// <summary>Ask the worker to give the call up.</summary>
    Cancel,

    /// <summary>Take back what the worker has not started, from the number of the action on, and bring <see cref="WorkerDecisions.Recalled"/>.</summary>
    Recall,

    /// <summary>Ask the worker to send what it holds back and to show that it lives; bring <see cref="WorkerDecisions.Ponged"/>.</summary>
    Ping,

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

    /// <summary>End the call: its like has killed too many workers.</summary>
    RejectQuarantined,

    /// <summary>End the call: no worker can be started.</summary>
    FailStart,

    /// <summary>End the call: the worker that ran it is gone.</summary>
    FailLost,

    /// <summary>End the call: too many workers ended at the sight of it, none had started it.</summary>
    FailUnstarted,

    /// <summary>End the call: its worker broke the protocol.</summary>
    FailViolation,

    /// <summary>Everything has ended and every process is reaped.</summary>
    Drained,
}
