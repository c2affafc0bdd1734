using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Capacity;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>One pool as a user of its host's capacity.</summary>
internal sealed class CapacityUser(PoolDefinition definition, PoolCore core, WorkerLog log) : ICapacityUser
{
    private static readonly TimeSpan LogPause = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan ShortageTime = TimeSpan.FromSeconds(3);

    private long? _shortageLoggedAt;
    private long? _failureLoggedAt;
    private volatile ShortageReport? _shortage;

    /// <summary>How many workers it lacks, and why; <c>null</c> while it lacks none. A pool that does tries again every second.</summary>
    public (int Wanted, string Limit)? Shortage =>
        _shortage is { } shortage && definition.Time.GetElapsedTime(shortage.At) < ShortageTime ? (shortage.Wanted, shortage.Limit) : null;

    public bool NeedsWorkers =>
        core.Read(0, static (table, _) => table.Queue.Count > 0 || table.Live + table.Starting < table.Settings.MinWorkers);

    public void RetryReserve() => core.Tick();

    public int RetireIdle(int most)
    {
        var retired = 0;
        core.Decide(most, (table, most, now, actions) =>
        {
            if (table.Idle.Count > 0)
            {
                retired = table.Idle.Count;
                PoolDecisions.Shrink(table, most, now, actions);
                retired -= table.Idle.Count;
            }
        });
        return retired;
    }

    public void AddWorkerMemory(List<long> memory)
    {
        var ready = core.Read(0, static (table, _) =>
            table.Workers.Where(static worker => worker.State is not (WorkerState.Absent or WorkerState.Starting)).Select(static worker => worker.Process!).ToList());
        memory.AddRange(ready.Select(static worker => worker.ReadPrivateMemory()).OfType<long>());
    }

    /// <summary>Logs it at most once a minute: a pool that lacks capacity tries again every second.</summary>
    public void ReportShortage(int wanted, string limit)
    {
        _shortage = new ShortageReport(wanted, limit, definition.Time.GetTimestamp());
        if (IsDue(ref _shortageLoggedAt))
        {
            log.Write((definition.Name, wanted, limit), static (logger, shortage) => PoolLog.NoCapacity(logger, shortage.Name, shortage.wanted, shortage.limit));
        }
    }

    public void ReportFailure(Exception failure)
    {
        if (IsDue(ref _failureLoggedAt))
        {
            log.Write((definition.Name, failure), static (logger, reading) => PoolLog.CallbackFailed(logger, reading.failure, reading.Name, "reading the free capacity of the machine"));
        }
    }

    private bool IsDue(ref long? loggedAt)
    {
        if (loggedAt is { } logged && definition.Time.GetElapsedTime(logged) < LogPause)
        {
            return false;
        }

        loggedAt = definition.Time.GetTimestamp();
        return true;
    }

    private sealed record ShortageReport(int Wanted, string Limit, long At);
}
