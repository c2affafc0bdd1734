namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a decision may ask for.</summary>
internal enum PoolActionKind
{
    /// <summary>Notify a waiting caller that its call has a place.</summary>
    Admit,

    /// <summary>Send the call to the worker under the number of the action. The call may have moved to another worker by then: the frame is sent nevertheless, because the channel has no gaps.</summary>
    Dispatch,

    /// <summary>Ask the worker to cancel the call.</summary>
    Cancel,

    /// <summary>Withdraw what the worker has not started, from the number of the action on, and report <see cref="WorkerDecisions.Withdrawn"/>.</summary>
    Withdraw,

    /// <summary>Ask the worker to send the answers it holds back and to respond; report <see cref="WorkerDecisions.Ponged"/>.</summary>
    Ping,

    /// <summary>Start a process.</summary>
    Spawn,

    /// <summary>Ask the worker to exit.</summary>
    Retire,

    /// <summary>Kill the process and everything it started.</summary>
    Kill,

    /// <summary>Complete the call: the queue is full.</summary>
    RejectFull,

    /// <summary>Complete the call: it asked for a free place, and there is none.</summary>
    RejectBusy,

    /// <summary>Complete the call: the pool drains.</summary>
    RejectDraining,

    /// <summary>Complete the call: it is in quarantine, because calls like it made too many workers fail.</summary>
    RejectQuarantined,

    /// <summary>Complete the call: no worker can be started.</summary>
    FailStart,

    /// <summary>Complete the call: the worker that ran it failed.</summary>
    FailLost,

    /// <summary>Complete the call: too many workers ended when it was its turn, and none had started it.</summary>
    FailUnstarted,

    /// <summary>Complete the call: its worker broke the protocol.</summary>
    FailViolation,

    /// <summary>Complete the call with <see cref="CallEntry.CancelledWith"/>. Added where <see cref="PoolDecisions.Cancel"/> says that the cancellation is the outcome; decided only for a call that was to end with its code, and has none.</summary>
    Abandon,

    /// <summary>Everything has ended and every process is reaped.</summary>
    Drained,
}
