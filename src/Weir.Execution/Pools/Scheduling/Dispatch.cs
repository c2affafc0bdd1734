namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Which worker gets the next call: the one that became idle last; otherwise one with a free slot; otherwise a busy one, as prefetch,
/// if all its calls and the next one are known to be short. Strictly in the order of the queue: a call that cannot be prefetched is
/// never overtaken by one that can.
/// </summary>
internal static class Dispatch
{
    /// <summary>How long a worker may take to start a call whose turn it is before it counts as a failed start; doubles with each failed start of the call.</summary>
    public static readonly TimeSpan StartPatience = TimeSpan.FromMilliseconds(100);

    /// <summary>Gives calls to workers, as long as there is a worker for the first call and the pool is not paused.</summary>
    public static void Apply(PoolTable table, TimeSpan now, PoolActions actions)
    {
        while (!table.IsPaused && table.Queue.First is { } call)
        {
            if (call.Attempts == 0 && table.Quarantine.Holds(call, now))
            {
                table.Queue.Remove(call);
                AdmissionControl.Release(table, call);
                AdmissionControl.End(call, PoolActionKind.RejectQuarantined, actions);
            }
            else if (Choose(table, call, now) is { } worker)
            {
                table.Queue.Remove(call);
                Assign(table, worker, call, now, actions);
            }
            else
            {
                return;
            }
        }
    }

    /// <summary>The call is not with this worker any more.</summary>
    public static void Take(PoolTable table, WorkerEntry worker, CallEntry call)
    {
        table.Prefetched -= worker.Sent.Count > table.Settings.Concurrency ? 1 : 0;
        worker.Sent.Remove(call);
        worker.BytesSent -= call.Bytes;
        worker.CancelledCalls -= call.IsCancelled ? 1 : 0;
        if (call.Expected is { } time)
        {
            worker.Backlog -= time;
        }
        else
        {
            worker.CallsOfUnknownTime--;
        }
    }

    /// <summary>The worker has no call and is ready for the next one.</summary>
    public static void MakeIdle(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.State = WorkerState.Idle;
        worker.IdleSince = now;
        table.Idle.Push(worker, table.StartTime, now);
        if (Retirement.IdleUntil(table, now) is { } until)
        {
            table.ScheduleTick(until);
        }
    }

    /// <summary>The worker gets no more calls; it keeps those it has.</summary>
    public static void StopTaking(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker.State == WorkerState.Idle)
        {
            table.Idle.Remove(worker, now);
        }
        else if (worker.State == WorkerState.Busy)
        {
            table.Busy--;
        }

        if (worker.Due != RetirementReason.None && worker.State is WorkerState.Idle or WorkerState.Busy)
        {
            table.Due--;
        }
    }

    private static WorkerEntry? Choose(PoolTable table, CallEntry call, TimeSpan now) =>
        table.Idle.Count > 0 ? table.Idle.Top
        : table.Settings.Concurrency > 1 ? WithFreeSlot(table)
        : call.Expected is { } time ? WithPrefetchCapacity(table, call, time, now)
        : null;

    private static WorkerEntry? WithFreeSlot(PoolTable table)
    {
        WorkerEntry? best = null;
        foreach (var worker in table.Workers)
        {
            if (worker is { State: WorkerState.Busy, IsStalled: false } && worker.Sent.Count < (best?.Sent.Count ?? table.Settings.Concurrency))
            {
                best = worker;
            }
        }

        return best;
    }

    private static WorkerEntry? WithPrefetchCapacity(PoolTable table, CallEntry call, TimeSpan time, TimeSpan now)
    {
        WorkerEntry? best = null;
        foreach (var worker in table.Workers)
        {
            if (worker is { State: WorkerState.Busy, HasSharedMemory: true, IsStalled: false, IsWithdrawing: false, CallsOfUnknownTime: 0 }
                && now - worker.TurnSince <= StallDetection.LeastLong
                && worker.Backlog + time <= table.Settings.LongestBacklog
                && worker.BytesSent + call.Bytes <= table.Settings.MostPrefetchedBytes
                && (best is null || worker.Backlog < best.Backlog))
            {
                best = worker;
            }
        }

        return best;
    }

    private static void Assign(PoolTable table, WorkerEntry worker, CallEntry call, TimeSpan now, PoolActions actions)
    {
        // 1. The worker is busy; if it had no call, its turn begins now.
        if (worker.State == WorkerState.Idle)
        {
            table.Idle.Remove(worker, now);
            table.Busy++;
            worker.State = WorkerState.Busy;
            worker.TurnSince = now;
        }

        // 2. The call is the last on its channel.
        call.State = CallState.Sent;
        call.Worker = worker;
        call.CallId = ++worker.LastCallId;
        call.SentAt = now;
        worker.Sent.AddLast(call);
        table.Prefetched += worker.Sent.Count > table.Settings.Concurrency ? 1 : 0;
        worker.BytesSent += call.Bytes;
        if (call.Expected is { } time)
        {
            worker.Backlog += time;
        }
        else
        {
            worker.CallsOfUnknownTime++;
        }

        actions.Add(PoolActionKind.Dispatch, worker, call, call.CallId);
        if (call.ArrivedAt is { } arrived)
        {
            call.ArrivedAt = null;
            actions.AddWait(now - arrived);
        }

        // 3. Stall detection checks whether it starts, or whether what runs before it takes too long.
        StallDetection.ScheduleTick(table, worker, now);
        if (worker.Sent.Count == 1)
        {
            MissedWakes.ScheduleTick(table, worker, now);
        }

        Retirement.Took(table, worker, now);
    }
}
