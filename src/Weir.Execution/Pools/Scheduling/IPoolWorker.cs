namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// One worker as its pool sees it: what the pool decides is done through this. Any thread and without the pool's lock, unless a member
/// says otherwise.
/// </summary>
internal interface IPoolWorker
{
    /// <summary>Its entry in the pool's table. Its content under the pool's lock.</summary>
    WorkerEntry Entry { get; }

    /// <summary>What it records in shared memory, from READY on; <c>null</c> where it has none.</summary>
    IWorkerProgress? Progress { get; }

    /// <summary>0 before it is spawned.</summary>
    int ProcessId { get; }

    /// <summary>The id of its crash report, should there be one.</summary>
    string ReportId { get; }

    /// <summary>Whether it was ended by a signal that the host did not send and that no memory limit explains. Set when its end is known.</summary>
    bool WasEndedFromOutside { get; }

    /// <summary>The memory that belongs to it alone, in bytes; <c>null</c> when that is not known.</summary>
    long? ReadPrivateMemory();

    /// <summary>How much it holds of its limit of memory, the nearest of several; <c>null</c> where it has none, or that is not known.</summary>
    (long Bytes, long LimitBytes)? ReadMemoryOfLimit() => null;

    /// <summary>Begins its lifetime: spawn, READY, calls, exit.</summary>
    void Start();

    /// <summary>Assigns it a call. Under the pool's lock, which orders the ids; <see cref="Dispatch"/> follows.</summary>
    void Assign(CallEntry call, ulong callId);

    /// <summary>Writes the frames of the calls assigned to it: afterwards no call is read to write its frame. Under the pool's lock.</summary>
    void WriteAssigned();

    /// <summary>Whether unsent frames for it refer to the memory of calls from this id on. The frames of these calls are written. Under the pool's lock.</summary>
    bool Borrows(ulong first);

    /// <summary>Calls were withdrawn from it: their memory is copied where it was not sent, and then they may be assigned to other workers.</summary>
    /// <param name="actions">Where the actions that follow are added.</param>
    void ReturnWithdrawn(PoolActions actions);

    /// <summary>Sends what it was assigned.</summary>
    void Dispatch();

    /// <summary>Asks it to cancel a call.</summary>
    void Cancel(CallEntry call, ulong callId);

    /// <summary>Allows it to send this many more bytes of a stream's items.</summary>
    void Grant(ulong callId, uint bytes);

    /// <summary>Asks it whether it is alive, and wakes both sides of its channel.</summary>
    void Ping();

    /// <summary>Asks it to finish its calls and exit.</summary>
    void Retire();

    /// <summary>Kills the process and all processes it started; a worker that is not spawned yet is killed as soon as it is.</summary>
    void Kill();

    /// <summary>An action of the pool could not be carried out on it: nothing more can be sent to it.</summary>
    void OnActionFailed(Exception failure);

    /// <summary>It answered these calls; for its crash report. Under the pool's lock.</summary>
    void RecordAnswers(ReadOnlySpan<Answer> answers);

    /// <summary>It has ended, and has started calls up to this id; for its crash report. Under the pool's lock, before its calls are moved.</summary>
    void RecordEnd(ulong startedThrough);
}
