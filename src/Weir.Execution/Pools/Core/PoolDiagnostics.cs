using System.Runtime.CompilerServices;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The state of a pool, for people and logs. Any thread; nothing is decided here.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="core">The pool.</param>
/// <param name="losses">Which workers were lost, and which could not start.</param>
internal sealed class PoolDiagnostics(string pool, PoolCore core, WorkerLosses losses)
{
    private readonly Lock _gate = new();

    // What was applied to the workers; an entry lives as long as its worker's. Any thread.
    private readonly ConditionalWeakTable<WorkerEntry, AppliedLimits> _limits = [];

    // Under _gate.
    private AppliedLimits? _latestLimits;

    public PoolSnapshot Snapshot()
    {
        string isolation;
        lock (_gate)
        {
            isolation = Isolation.Describe(_latestLimits);
        }

        return core.Read((View: this, isolation, Losses: losses.Read()), static (table, read) => read.View.Of(table, read.isolation, read.Losses));
    }

    /// <summary>What was asked for and not applied to the worker that was started last; <c>null</c> where everything was.</summary>
    public string? MissingLimits
    {
        get
        {
            lock (_gate)
            {
                return _latestLimits is { Missing: { Count: > 0 } missing } ? string.Join("; ", missing) : null;
            }
        }
    }

    /// <summary>The same in numbers.</summary>
    public PoolStatistics Figures() => core.Read(0, static (table, _) => PoolStatistics.Of(table));

    /// <summary>A process was spawned, with these limits.</summary>
    /// <returns>Whether it lacks one, and the worker before it lacked none: worth logging once.</returns>
    public bool Spawned(WorkerEntry worker, AppliedLimits limits)
    {
        _limits.Add(worker, limits);
        lock (_gate)
        {
            var isNews = limits.Missing.Count > 0 && (_latestLimits?.Missing.Count ?? 0) == 0;
            _latestLimits = limits;
            return isNews;
        }
    }

    private PoolSnapshot Of(PoolTable table, string isolation, (int Count, string? Last, string? LastStartFailure) losses) => new(
        pool,
        table.Settings.MinWorkers,
        table.Settings.MaxWorkers,
        table.Settings.QueueLimit,
        table.Queue.Count,
        table.Waiters.Count,
        table.IsDraining,
        isolation,
        [.. table.Workers.Where(static worker => worker.State != WorkerState.Absent).Select(Of)])
    {
        StartFailure = ScaleOut.CannotStart(table, core.Clock.Now) ? core.LastFailure?.Detail : null,
        LastStartFailure = losses.LastStartFailure,
        WorkersLostInCalls = losses.Count,
        LastLoss = losses.Last,
        IsPaused = table.IsPaused,
        Running = table.Workers.Sum(static worker => worker.Sent.Count),
        Quarantined = table.Quarantine.CountHeld(core.Clock.Now),
    };

    private WorkerSnapshot Of(WorkerEntry worker) => new(
        worker.Process?.ProcessId ?? 0,
        worker.State.ToString().ToLowerInvariant(),
        worker.CallsDone,
        worker.Sent.First?.Operation?.FullName,
        _limits.TryGetValue(worker, out var limits) ? limits : null)
    {
        Serial = worker.Serial,
    };
}
