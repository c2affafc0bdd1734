namespace Weir.Execution.Processes;

/// <summary>
/// What the pages of a pool's workers say, brought to the decisions, and what the decisions want from them. Under the pool's lock:
/// nothing is given to a worker meanwhile.
/// </summary>
internal static class PageEvents
{
    /// <summary>The progress of one worker, before anything is decided that depends on it.</summary>
    public static void Progress(PoolTable table, WorkerEntry worker, in PoolClock clock, PoolActions actions)
    {
        if (worker is not { HasPage: true, Process: WorkerProcess { Page: { } page } } || worker.LastCallId == worker.StartedThrough)
        {
            return;
        }

        var through = page.StartedThrough(worker.StartedThrough, worker.LastCallId);
        if (through > worker.StartedThrough)
        {
            WorkerDecisions.Started(table, worker, through, clock.At(page.StartOf(through)), clock.Now, actions);
        }
    }

    /// <summary>The progress of all of them, before a tick.</summary>
    public static void Progress(PoolTable table, in PoolClock clock, PoolActions actions)
    {
        foreach (var worker in table.Workers)
        {
            Progress(table, worker, clock, actions);
        }
    }

    /// <summary>Takes back what the worker has not started. When this returns, the calls are the pool's.</summary>
    public static void Recall(PoolTable table, WorkerEntry worker, in PoolClock clock, PoolActions actions)
    {
        var process = (WorkerProcess)worker.Process!;

        // 1. Their frames travel all the same; nobody looks at the calls for that afterwards.
        process.WriteGiven();

        // 2. Theirs or ours. Where the worker was faster, what it started is news.
        ulong first = 1, last = 0;
        if (process.Page is { } page && page.TryRecall(worker.StartedThrough, worker.LastCallId, out var taken))
        {
            (first, last) = (taken, worker.LastCallId);
        }
        else
        {
            Progress(table, worker, clock, actions);
        }

        WorkerDecisions.Recalled(table, worker, first, last, clock.Now, actions);
    }

    /// <summary>
    /// What a worker that broke the protocol has started, and whether that is certain: then it starts nothing more, and the rest
    /// need not wait for its end.
    /// </summary>
    public static (ulong Through, bool IsFinal) Stop(WorkerEntry worker)
    {
        var page = ((WorkerProcess)worker.Process!).Page!;
        return page.TryRecall(worker.StartedThrough, worker.LastCallId, out var first)
            ? (first - 1, true)
            : (page.StartedThrough(worker.StartedThrough, worker.LastCallId), false);
    }
}
