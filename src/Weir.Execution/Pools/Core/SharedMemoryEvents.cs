using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// Reads the shared memory of a pool's workers for the decisions, and withdraws calls there when a decision asks for it. Under the
/// pool's lock, so nothing is assigned to a worker during that time.
/// </summary>
internal static class SharedMemoryEvents
{
    /// <summary>The progress of one worker, before anything is decided that depends on it.</summary>
    public static void Progress(PoolTable table, WorkerEntry worker, in PoolClock clock, PoolActions actions)
    {
        if (worker is not { HasSharedMemory: true, Process.Progress: { } progress } || worker.LastCallId == worker.StartedThrough)
        {
            return;
        }

        var through = progress.StartedThrough(worker.StartedThrough, worker.LastCallId);
        if (through > worker.StartedThrough)
        {
            WorkerDecisions.Started(table, worker, through, clock.At(progress.StartOf(through)), clock.Now, actions);
        }
    }

    /// <summary>
    /// Since when a worker runs a call that it has started: by its own record where it has shared memory, otherwise when STARTED came. Never
    /// before the call was sent to it, whatever the worker records; when the call was sent, if nothing else is known.
    /// </summary>
    public static TimeSpan RunsSince(WorkerEntry worker, CallEntry call, ulong callId, in PoolClock clock)
    {
        var at = worker is { HasSharedMemory: true, Process.Progress: { } progress } ? clock.At(progress.StartOf(callId))
            : callId == worker.StartedThrough ? worker.StartedAt
            : call.SentAt;
        var now = clock.Now;
        return at > now ? now : at < call.SentAt ? call.SentAt : at;
    }

    /// <summary>The progress of all of them, and whether a wake was missed, before a tick.</summary>
    public static void Progress(PoolTable table, in PoolClock clock, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            Progress(table, worker, clock, actions);
            worker.MissedWake = worker is { HasSharedMemory: true, Sent.Count: > 0, Process.Progress.MissedWake: true };
        }
    }

    /// <summary>
    /// Withdraws calls that the worker has not started. Their frames are sent all the same, so calls whose memory the frames may still refer
    /// to stay with the worker until <see cref="PoolCore.Returned"/>; the others belong to the pool when this returns.
    /// </summary>
    public static void Withdraw(PoolTable table, WorkerEntry worker, in PoolClock clock, PoolActions actions)
    {
        var process = worker.Process!;

        // 1. Afterwards no call is read to write its frame.
        process.WriteAssigned();

        // 2. Either the calls are withdrawn, or the worker was faster and has started some that are not known yet.
        ulong first = 1, last = 0;
        if (process.Progress is { } progress && progress.TryWithdraw(worker.StartedThrough, worker.LastCallId, out var taken))
        {
            (first, last) = (taken, worker.LastCallId);
            if (process.Borrows(first))
            {
                worker.Withdrawn = (first, last);
                return;
            }
        }
        else
        {
            Progress(table, worker, clock, actions);
        }

        WorkerDecisions.Withdrawn(table, worker, first, last, clock.Now, actions);
    }

    /// <summary>
    /// What a worker that broke the protocol has started, and whether that is final: then it starts nothing more, and the other calls
    /// need not wait for its exit.
    /// </summary>
    public static (ulong Through, bool IsFinal) Stop(WorkerEntry worker)
    {
        var progress = worker.Process!.Progress!;
        return progress.TryWithdraw(worker.StartedThrough, worker.LastCallId, out var first)
            ? (first - 1, true)
            : (progress.StartedThrough(worker.StartedThrough, worker.LastCallId), false);
    }
}
