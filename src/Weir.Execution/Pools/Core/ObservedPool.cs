using Weir.Execution.Observation;
using Weir.Execution.Pools.Options;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>A pool as the recorder sees it. Any thread; nothing is decided here.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="core">The pool.</param>
/// <param name="reports">What it counts.</param>
/// <param name="view">What was applied to its workers.</param>
/// <param name="peaks">The highest values since the last reading; under the pool's lock.</param>
/// <param name="capacity">The pool as a user of its host's capacity; <c>null</c> if only its maximum limits its workers.</param>
internal sealed class ObservedPool(string pool, PoolCore core, PoolReports reports, PoolDiagnostics view, PoolPeaks peaks, CapacityUser? capacity) : IObservedPool
{
    public string Name => pool;

    public PoolReading Read()
    {
        var reading = core.Read(this, static (table, pool) => pool.Of(table));
        var failed = 0L;
        for (var status = CallStatus.BadRequest; status <= CallStatus.ProtocolViolation; status++)
        {
            failed += reports.Tally.Calls(status);
        }

        return reading with
        {
            Succeeded = reports.Tally.Calls(CallStatus.Ok),
            Rejected = reports.Tally.Calls(CallStatus.Rejected),
            Failed = failed,
            Missing = capacity?.Shortage,
            MissingLimits = view.MissingLimits,
            Lost = reports.Tally.Workers(WorkerExitKind.Start) + reports.Tally.Workers(WorkerExitKind.Call) + reports.Tally.Workers(WorkerExitKind.Idle) + reports.Tally.Workers(WorkerExitKind.Drain),
        };
    }

    public IReadOnlyList<WorkerMemory> ReadMemory()
    {
        var serving = core.Read(0, static (table, _) =>
            table.Workers.Where(static worker => worker.State is not (WorkerState.Absent or WorkerState.Starting)).Select(static worker => worker.Process!).ToList());
        return [.. serving.Select(static worker => (worker.ProcessId, Memory: worker.ReadMemoryOfLimit())).Where(static worker => worker.Memory is not null)
            .Select(static worker => new WorkerMemory(worker.ProcessId, worker.Memory!.Value.Bytes, worker.Memory.Value.LimitBytes))];
    }

    private PoolReading Of(PoolTable table)
    {
        var now = core.Clock.Now;
        var (busy, queued) = peaks.Take(table.Busy, table.Queue.Count);
        var since = Earlier(table.Queue.First?.ArrivedAt, table.Waiters.First?.ArrivedAt);
        return new PoolReading
        {
            MinWorkers = table.Settings.MinWorkers,
            MaxWorkers = table.Settings.MaxWorkers,
            QueueLimit = table.Settings.QueueLimit,
            Workers = table.Occupied,
            Starting = table.Starting,
            Busy = table.Busy,
            MostBusy = busy,
            Queued = table.Queue.Count,
            MostQueued = queued,
            WaitingForCapacity = table.Waiters.Count,
            Oldest = since is { } first ? now - first : null,
            Started = table.Spawned,
            StartFailure = ScaleOut.CannotStart(table, now) ? core.LastFailure?.Detail : null,
            Quarantined = table.Quarantine.CountHeld(now),
            Generations = table.LastGeneration == 0 ? null : Generations(table),
            IsDraining = table.IsDraining,
            IsPaused = table.IsPaused,
        };
    }

    // Of those that have calls, or may get some. A reload that failed leaves no worker of its generation.
    private static (int New, int Old)? Generations(PoolTable table)
    {
        var (current, old) = (0, 0);
        foreach (var worker in table.Workers)
        {
            if (worker.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent or WorkerState.Finishing)
            {
                (current, old) = worker.Generation == table.Generation ? (current + 1, old) : (current, old + 1);
            }
        }

        return old == 0 ? null : (current, old);
    }

    private static TimeSpan? Earlier(TimeSpan? one, TimeSpan? other) => one is null || other < one ? other ?? one : one;
}
