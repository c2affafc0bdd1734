using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The state of a pool, for people and logs. Any thread; nothing is decided here.</summary>
/// <param name="definition">The pool.</param>
/// <param name="table">Its table.</param>
/// <param name="gate">The pool's lock.</param>
/// <param name="clock">The pool's time.</param>
/// <param name="lastFailure">Returns why the last worker that failed to start did.</param>
internal sealed class PoolDiagnostics(PoolDefinition definition, PoolTable table, Lock gate, PoolClock clock, Func<FailedStart?> lastFailure)
{
    // Under the lock.
    private AppliedLimits? _latestLimits;

    public PoolSnapshot Snapshot()
    {
        lock (gate)
        {
            return new PoolSnapshot(
                definition.Name,
                table.Settings.MinWorkers,
                table.Settings.MaxWorkers,
                table.Settings.QueueLimit,
                table.Queue.Count,
                table.Waiters.Count,
                table.IsDraining,
                Isolation.Describe(_latestLimits),
                [.. table.Workers.Where(static worker => worker.State != WorkerState.Absent).Select(Of)])
            {
                StartFailure = ScaleOut.CannotStart(table, clock.Now) ? lastFailure()?.Detail : null,
                Quarantined = table.Quarantine.CountHeld(clock.Now),
            };
        }
    }

    /// <summary>The same in numbers.</summary>
    public PoolStatistics Figures()
    {
        lock (gate)
        {
            return PoolStatistics.Of(table);
        }
    }

    /// <summary>A process was spawned, with these limits.</summary>
    /// <returns>Whether it lacks one, and the worker before it lacked none: worth logging once.</returns>
    public bool Spawned(AppliedLimits limits)
    {
        lock (gate)
        {
            var isNews = limits.Missing.Count > 0 && (_latestLimits?.Missing.Count ?? 0) == 0;
            _latestLimits = limits;
            return isNews;
        }
    }

    /// <summary>The call a worker runs, for its log; if it runs several, the one it started last.</summary>
    public RunningCall Running(IPoolWorker worker)
    {
        lock (gate)
        {
            var entry = worker.Entry;
            var through = entry.HasSharedMemory ? worker.SharedMemory?.StartedThrough(entry.StartedThrough, entry.LastCallId) ?? 0 : entry.StartedThrough;
            return entry.Find(through) is PoolCall call ? new RunningCall(through, call.Call.Operation) : default;
        }
    }

    /// <summary>The worker that sends a stream, and the call's id there; <c>null</c> when no worker sends it, or its caller does not read it any more.</summary>
    public IPoolWorker? WorkerOf(PoolStream stream, out ulong callId)
    {
        lock (gate)
        {
            callId = stream.CallId;
            return stream is { State: CallState.Sent, IsCancelled: false } ? (IPoolWorker?)stream.Worker!.Process : null;
        }
    }

    /// <summary>Why the host killed a worker, if it did.</summary>
    public KillReason KilledBecause(IPoolWorker worker)
    {
        lock (gate)
        {
            return worker.Entry.Killed;
        }
    }

    /// <summary>
    /// The operation of a call that a worker has, or has just answered, for its log: an answer may arrive before a record that was logged earlier, on the other channel.
    /// <c>null</c> when the call is not known any more.
    /// </summary>
    public Operation? OperationOf(IPoolWorker worker, ulong callId)
    {
        lock (gate)
        {
            return (worker.Entry.Find(callId) as PoolCall)?.Call.Operation ?? worker.History.OperationOf(callId);
        }
    }

    private static WorkerSnapshot Of(WorkerEntry worker)
    {
        var process = (IPoolWorker?)worker.Process;
        return new WorkerSnapshot(
            process?.ProcessId ?? 0,
            worker.State.ToString().ToLowerInvariant(),
            worker.CallsDone,
            (worker.Sent.First as PoolCall)?.Call.Operation.FullName,
            process?.Limits);
    }
}
