using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Workers;

/// <summary>Why a worker is gone, as the timeline says it. Pure.</summary>
internal static class EndReasons
{
    /// <param name="crash">How it ended, of a worker that has a crash report; <c>null</c> for one that was asked to exit, and did.</param>
    /// <param name="retired">Why it got no more calls.</param>
    /// <param name="killed">Why the host killed it, if it did.</param>
    public static WorkerEnd Of(WorkerExitKind? crash, RetirementReason retired, KillReason killed) => (crash, killed) switch
    {
        (WorkerExitKind.Start, _) => WorkerEnd.StartFailed,
        (WorkerExitKind.Internal, _) => WorkerEnd.Internal,
        (not null, not KillReason.None) => WorkerEnd.Killed,
        (WorkerExitKind.Call, _) => WorkerEnd.FailedInCall,
        (not null, _) => WorkerEnd.FailedIdle,
        (null, KillReason.NotNeeded) => WorkerEnd.NotNeeded,
        (null, KillReason.Stopping) => WorkerEnd.Stopped,
        _ => Of(retired),
    };

    private static WorkerEnd Of(RetirementReason retired) => retired switch
    {
        RetirementReason.Tasks => WorkerEnd.Tasks,
        RetirementReason.Age => WorkerEnd.Age,
        RetirementReason.Generation => WorkerEnd.Reloaded,
        RetirementReason.Asked => WorkerEnd.Replaced,
        RetirementReason.Idle => WorkerEnd.Idle,
        RetirementReason.Memory => WorkerEnd.Memory,
        RetirementReason.Size => WorkerEnd.Resized,
        RetirementReason.Capacity => WorkerEnd.Capacity,
        RetirementReason.Drain => WorkerEnd.Drained,

        // It was never asked to serve: its start was abandoned.
        _ => WorkerEnd.NotNeeded,
    };
}
