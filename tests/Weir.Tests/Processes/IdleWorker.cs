using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>A worker that does nothing by itself: what it starts, answers and has withdrawn are events of the test.</summary>
internal sealed class IdleWorker(WorkerEntry entry) : IPoolWorker, IWorkerProgress
{
    public WorkerEntry Entry => entry;

    public IWorkerProgress? Progress => entry.HasSharedMemory ? this : null;

    public int ProcessId => 0;

    public string ReportId => "";

    public bool WasEndedFromOutside => false;

    public bool MissedWake => false;

    public long? ReadPrivateMemory() => null;

    public void Start() => throw new NotSupportedException();

    public void Assign(CallEntry call, ulong callId)
    {
    }

    public void WriteAssigned()
    {
    }

    // So what is withdrawn stays with it until the test returns it.
    public bool Borrows(ulong first) => true;

    public void ReturnWithdrawn(PoolActions actions) => throw new NotSupportedException();

    public void Dispatch() => throw new NotSupportedException();

    public void Cancel(CallEntry call, ulong callId) => throw new NotSupportedException();

    public void Grant(ulong callId, uint bytes) => throw new NotSupportedException();

    public void Ping() => throw new NotSupportedException();

    public void Retire() => throw new NotSupportedException();

    public void Kill() => throw new NotSupportedException();

    public void OnActionFailed(Exception failure) => throw new NotSupportedException();

    public void RecordAnswers(ReadOnlySpan<Answer> answers)
    {
    }

    public void RecordEnd(ulong startedThrough)
    {
    }

    public ulong StartedThrough(ulong atLeast, ulong lastSent) => atLeast;

    public ulong StartOf(ulong callId) => 0;

    public bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = atLeast + 1;
        return first <= lastSent;
    }
}
