using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The events of a worker that is alive and not about a call: READY, STARTED, what was measured, PONG; and what its pool knows of it, for its log and its progress. Its exit, answers and violations are in <see cref="PoolCore"/>.</summary>
internal static class WorkerEvents
{
    /// <returns><c>false</c> when the worker was given up before.</returns>
    public static bool Ready(this PoolCore pool, IPoolWorker worker)
    {
        var isWanted = false;
        pool.Decide(worker, (table, worker, now, actions) => isWanted = WorkerDecisions.Ready(table, worker.Entry, worker.Progress is not null, now, actions));
        return isWanted;
    }

    /// <summary>The worker has started a call; a worker with shared memory records it there instead.</summary>
    /// <returns><c>false</c> when it was not sent such a call, or the call was not the next one.</returns>
    public static bool Started(this PoolCore pool, IPoolWorker worker, ulong callId)
    {
        var isNext = false;
        pool.Decide(worker, (table, worker, now, actions) =>
        {
            isNext = callId == worker.Entry.StartedThrough + 1 && worker.Entry.Find(callId) is not null;
            if (isNext)
            {
                WorkerDecisions.Started(table, worker.Entry, callId, now, now, actions);
            }
        });
        return isNext;
    }

    /// <summary>The worker's private memory was measured, in bytes.</summary>
    public static void Measured(this PoolCore pool, IPoolWorker worker, long bytes) =>
        pool.Decide((worker, bytes), static (table, measured, now, actions) => WorkerDecisions.Measured(table, measured.worker.Entry, measured.bytes, now, actions));

    /// <summary>The worker answered a PING.</summary>
    public static void Ponged(this PoolCore pool, IPoolWorker worker) =>
        pool.Decide(worker, static (table, worker, now, actions) => WorkerDecisions.Ponged(table, worker.Entry, now, actions));

    /// <summary>The call a worker runs, for its log; if it runs several, the one it started last.</summary>
    public static RunningCall Running(this PoolCore pool, IPoolWorker worker) => pool.Read(worker, static (_, worker) =>
    {
        var entry = worker.Entry;
        var through = entry.HasSharedMemory ? worker.Progress?.StartedThrough(entry.StartedThrough, entry.LastCallId) ?? 0 : entry.StartedThrough;
        return entry.Find(through) is { } call ? new RunningCall(through, call.Operation) : default;
    });

    /// <summary>
    /// The operation of a call that a worker has, or has just answered, for its log: an answer may arrive before a record that was logged earlier, on the other channel.
    /// <c>null</c> when the call is not known any more.
    /// </summary>
    public static Operation? OperationOf(this PoolCore pool, IPoolWorker worker, CallHistory history, ulong callId) => pool.Read(
        (worker.Entry, history, callId), static (_, asked) => asked.Entry.Find(asked.callId)?.Operation ?? asked.history.OperationOf(asked.callId));

    /// <summary>The job of a call that a worker has; <c>null</c> for any other call, and for one that has ended.</summary>
    public static JobContext? JobOf(this PoolCore pool, IPoolWorker worker, ulong callId) => pool.Read(
        (worker.Entry, callId), static (_, asked) => asked.Entry.Find(asked.callId)?.Job);

    /// <summary>The call that a worker is killed for: the first that runs and was cancelled, else the first that it has; 0 for none.</summary>
    public static ulong CallThatHangs(this PoolCore pool, IPoolWorker worker) => pool.Read(worker.Entry, static (_, entry) =>
    {
        for (var call = entry.Sent.First; call is not null && call.CallId <= entry.StartedThrough; call = call.Next)
        {
            if (call.IsCancelled)
            {
                return call.CallId;
            }
        }

        return entry.Sent.First?.CallId ?? 0;
    });

    /// <summary>Whether the pool was stopped without waiting for its calls.</summary>
    public static bool IsAborted(this PoolCore pool) => pool.Read(0, static (table, _) => table.IsAborted);

    /// <summary>Why the host killed a worker, if it did.</summary>
    public static KillReason KilledBecause(this PoolCore pool, IPoolWorker worker) => pool.Read(worker.Entry, static (_, entry) => entry.Killed);
}
