using Weir.Execution.Diagnostics;
using Weir.Execution.Observation;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Workers;

/// <summary>Reports the events of one worker to the log and the metrics, and its crash also to the pool's owner. Not on a reading thread.</summary>
internal sealed class WorkerReporter(PoolDefinition definition, WorkerLifetime worker, PoolReports reports)
{
    // Weir may fail after it has reported the worker's end. The worker's own flow.
    private bool _isKept;

    /// <summary>It was spawned without a limit that was asked for; reported for the first such worker of its pool.</summary>
    public void Lacks(AppliedLimits limits) => reports.Log.Write((definition, worker, limits), static (logger, spawned) =>
        PoolLog.LimitMissing(logger, spawned.definition.Name, spawned.worker.ProcessId, string.Join(" ", spawned.limits.Missing)));

    /// <summary>Its process was spawned.</summary>
    public void IsSpawned() => definition.Observer?.Started(definition.Name, worker.Entry.Serial, worker.Entry.Generation, worker.ProcessId);

    public void IsReady(TimeSpan took)
    {
        definition.Observer?.Ready(definition.Name, worker.Entry.Serial, worker.Entry.Generation, worker.ProcessId);
        reports.Losses.Started();
        reports.Tally.Ready(took);
        reports.Log.Write((definition, worker, took), static (logger, ready) =>
            PoolLog.Ready(logger, ready.definition.Name, ready.worker.ProcessId, ready.took.TotalMilliseconds, ready.worker.Limits ?? AppliedLimits.None));
    }

    public void CouldNotStart(FailedStart failure, string output)
    {
        reports.Losses.StartFailed(failure.Detail);
        reports.Log.Write((definition, failure, output), static (logger, start) => PoolLog.StartFailed(
            logger, start.definition.Name, start.failure.ProcessId, start.failure.Phase, start.failure.Detail, start.failure.ReportId ?? "", PrintedText.Shorten(start.output)));
    }

    /// <summary>It has ended. Called before the callers of the lost calls are notified.</summary>
    /// <param name="cause">How it ended.</param>
    /// <param name="crash">What is known of it; <c>null</c> when it exited as it was asked to.</param>
    /// <param name="wasReady">Otherwise its failed start was reported already.</param>
    /// <param name="killed">Why the host killed it, if it did.</param>
    public void Ended(string cause, CrashReport? crash, bool wasReady, KillReason killed = KillReason.None)
    {
        Keep(EndReasons.Of(crash?.End, worker.Entry.Retired, killed), crash);
        reports.Tally.Ended(crash?.End ?? WorkerExitKind.Drained);
        if (crash is { End: WorkerExitKind.Call })
        {
            reports.Losses.Lost(crash.Cause, crash.Id);
        }

        if (crash is null)
        {
            reports.Log.Write((definition, worker, cause), static (logger, end) => PoolLog.Exited(logger, end.definition.Name, end.worker.ProcessId, end.worker.Entry.CallsDone, end.cause));
        }
        else if (wasReady)
        {
            reports.Log.Write(crash, static (logger, crash) => PoolLog.Lost(logger, crash.Pool, crash.ProcessId, crash.CallsDone, crash.Id, crash.Cause, crash));
        }
    }

    /// <summary>Weir itself failed while it handled the worker.</summary>
    public void FailedInHost(Exception failure)
    {
        reports.Tally.Ended(WorkerExitKind.Internal);
        Keep(WorkerEnd.Internal, crash: null);
        reports.Log.Write((definition, worker, failure), static (logger, life) => PoolLog.LifetimeFailed(logger, life.failure, life.definition.Name, life.worker.ProcessId));
    }

    /// <summary>Passes the crash report to the owners of pool and runtime: user code, called at the end of the worker's own flow, for which no call waits.</summary>
    public void HandOver(CrashReport? crash)
    {
        if (crash is not null)
        {
            HandOver(crash, definition.Options.OnCrash);
            HandOver(crash, definition.Crashed);
        }
    }

    // What is kept for people must not be what the end of a worker depends on: compressing a report needs memory.
    private void Keep(WorkerEnd end, CrashReport? crash)
    {
        if (_isKept)
        {
            return;
        }

        _isKept = true;
        try
        {
            definition.Observer?.Ended(definition.Name, worker.Entry.Serial, worker.Entry.Generation, worker.ProcessId, end, crash);
        }
        catch (Exception failure)
        {
            reports.CallbackFailed(failure, "keeping a crash report");
        }
    }

    private void HandOver(CrashReport crash, Action<CrashReport>? owner)
    {
        try
        {
            owner?.Invoke(crash);
        }
        catch (Exception failure)
        {
            reports.Log.Write((definition, failure), static (logger, hand) => PoolLog.OnCrashFailed(logger, hand.failure, hand.definition.Name));
        }
    }
}
