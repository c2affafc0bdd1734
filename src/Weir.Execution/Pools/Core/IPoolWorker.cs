using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// One worker as its pool and its readers see it: what the pool decides is done through it, and what the readers receive goes to it.
/// Any thread, unless a member says otherwise.
/// </summary>
internal interface IPoolWorker : IFrameSender
{
    /// <summary>Its entry in the pool's table. Under the pool's lock.</summary>
    WorkerEntry Entry { get; }

    /// <summary>Its last calls. Under the pool's lock until the worker is reaped.</summary>
    CallHistory History { get; }

    /// <summary>Checks its memory after its calls; <c>null</c> where the pool has no soft limit.</summary>
    MemoryWatch? Memory { get; }

    /// <summary>The id of its crash report, should there be one.</summary>
    string ReportId { get; }

    /// <summary>0 before it is spawned.</summary>
    int ProcessId { get; }

    /// <summary>What was applied to it; <c>null</c> before it is spawned.</summary>
    AppliedLimits? Limits { get; }

    /// <summary>The memory it shares with the host, from READY on; <c>null</c> where it has none.</summary>
    SharedMemoryRegion? SharedMemory { get; }

    /// <summary>A hint: whether the worker or the host waits although the shared memory has what it waits for; true for a moment where all is well.</summary>
    bool MissedWake { get; }

    /// <summary>Whether it may send the status and headers that an operation chooses, as READY declared.</summary>
    bool SendsHeads { get; }

    /// <summary>Whether it was ended by a signal that the host did not send and that no memory limit explains. Set when its end is known.</summary>
    bool WasEndedFromOutside { get; }

    /// <summary>Completes when its process is gone and everything that follows from that is done, the owner's callback too. Never fails.</summary>
    Task Ended { get; }

    /// <summary>The memory that belongs to it alone, in bytes; <c>null</c> when that is not known. Not under a lock.</summary>
    long? ReadPrivateMemory();

    /// <summary>Begins its lifetime: spawn, READY, calls, exit.</summary>
    void Start();

    /// <summary>Assigns it a call. Under the pool's lock, which orders the ids; <see cref="Dispatch"/> follows.</summary>
    void Assign(PoolCall call, ulong callId);

    /// <summary>Writes the frames of the calls assigned to it: afterwards no call is read to write its frame. Under the pool's lock.</summary>
    void WriteAssigned();

    /// <summary>Whether unsent frames for it refer to the memory of calls from this id on. The frames of these calls are written.</summary>
    bool Borrows(ulong first);

    /// <summary>Calls were withdrawn from it: their memory is copied where it was not sent, and then they may be assigned to other workers.</summary>
    /// <param name="actions">Where the actions that follow are added.</param>
    void ReturnWithdrawn(PoolActions actions);

    /// <summary>Sends what it was assigned.</summary>
    void Dispatch();

    /// <summary>Asks it to cancel a call.</summary>
    void Cancel(PoolCall call, ulong callId);

    /// <summary>Asks it whether it is alive, and wakes both sides of its channel.</summary>
    void Ping();

    /// <summary>Allows it to send this many more bytes of a stream's items.</summary>
    void Grant(ulong callId, uint bytes);

    /// <summary>Asks it to finish its calls and exit.</summary>
    void Retire();

    /// <summary>Kills the process and all processes it started; a worker that is not spawned yet is killed as soon as it is.</summary>
    void Kill();

    /// <summary>From now on nothing of any call is read or sent. Before the pool assigns its calls to other workers.</summary>
    void CloseData();

    /// <summary>Drops the host's references to the memory of calls that were answered.</summary>
    void ReleaseData(ReadOnlySpan<Answer> answers);

    /// <summary>The call it runs.</summary>
    RunningCall FindRunning();

    /// <summary>The call of an id.</summary>
    RunningCall Find(ulong callId);

    /// <summary>It accepts calls. The thread of the epoll loop.</summary>
    void OnReady(ReadyPayload ready);

    /// <summary>It reports why it cannot start. The thread of the epoll loop.</summary>
    void OnStartFailed(StartFailure failure);

    /// <summary>It broke the protocol, on either channel.</summary>
    /// <param name="message">How.</param>
    /// <param name="isUnreadable">Its data channel is not read any more, so what it starts from now on is not known.</param>
    void OnViolation(string message, bool isUnreadable);
}
