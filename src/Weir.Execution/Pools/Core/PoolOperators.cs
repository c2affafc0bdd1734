using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The events of a pool's operators.</summary>
internal static class PoolOperators
{
    /// <summary>From now on calls wait and are not given to workers.</summary>
    public static void Pause(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Pause(table, isPaused: true, now, actions));

    /// <summary>Calls are given to workers again.</summary>
    public static void Resume(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Pause(table, isPaused: false, now, actions));

    /// <summary>Replaces a worker by another one.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="processId">Which worker.</param>
    /// <param name="serial">Which of the pool's processes it is; <c>null</c> for any of that id.</param>
    /// <returns>The worker; <c>null</c> where none of that id serves calls.</returns>
    public static IPoolWorker? Replace(this PoolCore pool, int processId, long? serial)
    {
        IPoolWorker? found = null;
        pool.Decide((processId, serial), (table, asked, now, actions) => found = Find(table, asked) is { } worker && PoolDecisions.Replace(table, worker, now, actions) ? worker.Process : null);
        return found;
    }

    /// <summary>Kills a worker.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="processId">Which worker.</param>
    /// <param name="serial">Which of the pool's processes it is; <c>null</c> for any of that id.</param>
    /// <param name="by">Who asked for it; <c>null</c> where that is not known.</param>
    /// <returns>The worker; <c>null</c> where none of that id lives.</returns>
    public static IPoolWorker? Kill(this PoolCore pool, int processId, long? serial, string? by)
    {
        IPoolWorker? found = null;
        pool.Decide((processId, serial), (table, asked, now, actions) =>
        {
            if (Find(table, asked) is { Killed: KillReason.None } worker)
            {
                worker.KilledBy = by;
                found = PoolDecisions.Kill(table, worker, now, actions) ? worker.Process : null;
            }
        });
        return found;
    }

    private static WorkerEntry? Find(PoolTable table, (int ProcessId, long? Serial) asked)
    {
        foreach (var worker in table.Workers)
        {
            if (worker is { State: not WorkerState.Absent, Process: { } process } && process.ProcessId == asked.ProcessId && asked.ProcessId != 0 && worker.Serial == (asked.Serial ?? worker.Serial))
            {
                return worker;
            }
        }

        return null;
    }
}
