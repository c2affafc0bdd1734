namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a decision asks for; carried out outside the pool's lock.</summary>
/// <param name="Kind">What to do.</param>
/// <param name="Worker">The worker, where the kind needs one.</param>
/// <param name="Call">The call, where the kind needs one.</param>
/// <param name="CallId">The call's number on that worker's channel; to withdraw calls, the first one to withdraw.</param>
internal readonly record struct PoolAction(PoolActionKind Kind, WorkerEntry? Worker, CallEntry? Call, ulong CallId = 0)
{
    /// <summary>Whether it completes its call.</summary>
    public bool IsOutcome => Kind is PoolActionKind.RejectFull or PoolActionKind.RejectBusy or PoolActionKind.RejectDraining or PoolActionKind.RejectQuarantined
        or PoolActionKind.FailStart or PoolActionKind.FailLost or PoolActionKind.FailUnstarted or PoolActionKind.FailViolation;
}
