namespace Weir.Execution.Observation;

/// <summary>Why a worker is gone.</summary>
internal enum WorkerEnd : byte
{
    /// <summary>It is not.</summary>
    None,

    /// <summary>It had no call for the idle timeout, and the minimum did not need it.</summary>
    Idle,

    /// <summary>It had as many calls as it may get.</summary>
    Tasks,

    /// <summary>It has lived long enough.</summary>
    Age,

    /// <summary>The pool was reloaded: a worker with new options took its place.</summary>
    Reloaded,

    /// <summary>An operator asked for another one.</summary>
    Replaced,

    /// <summary>It held more memory than its soft limit.</summary>
    Memory,

    /// <summary>The maximum of the pool was lowered.</summary>
    Resized,

    /// <summary>Another pool needed its place on this host.</summary>
    Capacity,

    /// <summary>The pool drained.</summary>
    Drained,

    /// <summary>It was killed while it started, because it was not needed any more.</summary>
    NotNeeded,

    /// <summary>It was killed because the pool was stopped without waiting.</summary>
    Stopped,

    /// <summary>It never became ready.</summary>
    StartFailed,

    /// <summary>It failed while it ran a call.</summary>
    FailedInCall,

    /// <summary>It failed while it ran no call.</summary>
    FailedIdle,

    /// <summary>The host killed it: a call ignored its cancellation, it stalled, broke the protocol, or did not exit when it was asked to, or an operator asked for it.</summary>
    Killed,

    /// <summary>The host failed while it handled the worker: an error in Weir.</summary>
    Internal,
}
