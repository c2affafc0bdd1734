using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Workers;

/// <summary>Creates the report of a worker that was lost.</summary>
internal static class CrashReports
{
    /// <summary>The report of a worker that never became ready.</summary>
    public static CrashReport OfStart(PoolDefinition definition, WorkerLifetime worker, FailedStart start, ExitReport exit, string output) =>
        Of(definition, worker, WorkerExitKind.Start, $"start: {start.Phase}", start.Detail, exit, output, []);

    /// <summary>The report of a worker that was ready. No other code uses the history of its calls any more.</summary>
    public static CrashReport OfLife(PoolDefinition definition, WorkerLifetime worker, string cause, KillReason killed, ExitReport exit, string output)
    {
        var (end, phase) = worker.History.FailedRunning ? (WorkerExitKind.Call, "call")
            : killed == KillReason.DidNotExit ? (WorkerExitKind.Drain, "draining")
            : (WorkerExitKind.Idle, "idle");
        return Of(definition, worker, end, phase, cause, exit, output, worker.History.Describe());
    }

    private static CrashReport Of(
        PoolDefinition definition, WorkerLifetime worker, WorkerExitKind end, string phase, string cause, ExitReport exit, string output, IReadOnlyList<CrashReportCall> calls) => new()
        {
            Id = worker.ReportId,
            Pool = definition.Name,
            ProcessId = worker.ProcessId,
            Generation = worker.Entry.Generation,
            At = definition.Time.GetLocalNow(),
            Phase = phase,
            End = end,
            Cause = cause,
            ExitCode = exit.ExitCode,
            Signal = exit.Signal,
            Age = definition.Time.GetElapsedTime(worker.BornAt),
            CallsDone = worker.Entry.CallsDone,
            Calls = calls,
            Output = output,
            Limits = worker.Limits ?? AppliedLimits.None,
        };
}
