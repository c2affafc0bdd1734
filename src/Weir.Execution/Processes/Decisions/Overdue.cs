namespace Weir.Execution.Processes;

/// <summary>
/// A call that runs much longer than usual must not keep others waiting: what was sent behind it is recalled, what is finished
/// before it is asked for. So must not a worker that does not start what it was given. Until it answers, nothing more is sent to it.
/// </summary>
internal static class Overdue
{
    /// <summary>A call is given at least so long before others behind it are taken back.</summary>
    public static readonly TimeSpan LeastLong = TimeSpan.FromMilliseconds(1);

    /// <summary>And so many times its usual time.</summary>
    public const int Unusual = 4;

    /// <summary>A worker that did not start what it was given so often in a row is given up.</summary>
    public const int MostBounces = 3;

    private const int MostDoublings = 7;

    /// <summary>Something was sent or answered: when to look at the worker next, at the earliest.</summary>
    public static void Foresee(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker is { IsOverdue: false, Sent.First: { } first })
        {
            table.Foresee(IsAlone(table, worker) ? worker.TurnSince + Patience(first) : now + LeastLong);
        }
    }

    /// <summary>Looks at one worker with calls, whose progress is up to date.</summary>
    public static void Look(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker is not { State: WorkerState.Busy or WorkerState.Finishing, IsOverdue: false, Sent.First: { } first })
        {
            return;
        }

        if (first.CallId > worker.StartedThrough)
        {
            // 1. Its turn, and it does not run.
            if (Passed(table, worker.TurnSince + Patience(first), now))
            {
                Suspect(table, worker, first, now, actions);
            }
        }
        else if (!IsAlone(table, worker))
        {
            // 2. Something runs, and something else waits for it: behind it, or finished before it and not sent.
            var running = worker.Find(worker.StartedThrough);
            var usual = (running?.Expected ?? TimeSpan.Zero) * Unusual;
            if (Passed(table, worker.StartedAt + (usual > LeastLong ? usual : LeastLong), now))
            {
                worker.IsOverdue = true;
                Recall(worker, actions);
                if (first.CallId < worker.StartedThrough)
                {
                    Ping(worker, now, actions);
                }
            }
        }
    }

    /// <summary>What became of a recall.</summary>
    public static void Settle(PoolTable table, WorkerEntry worker, ulong first, ulong last, TimeSpan now, PoolActions actions)
    {
        // 1. Back to the queue, before all others and in their order.
        worker.IsRecalling = false;
        var any = false;
        for (var call = worker.Sent.Last; call is not null && call.CallId >= first;)
        {
            var previous = call.Previous;
            if (call.CallId <= last && call.State == CallState.Sent)
            {
                any = true;
                worker.Taken--;
                Return(table, worker, call, now);
            }

            call = previous;
        }

        if (worker.StartedThrough >= worker.RecalledFrom)
        {
            // 2. It was faster, and goes on by itself.
            worker.IsOverdue = false;
            Foresee(table, worker, now);
        }

        if (any && worker.Sent.Count == 0)
        {
            // 3. It has nothing left, because it did not start what it had: it must show that it lives.
            Empty(table, worker, now, actions);
        }
    }

    private static void Return(PoolTable table, WorkerEntry worker, CallEntry call, TimeSpan now)
    {
        Dispatch.Take(worker, call);
        if (call.CallerGone)
        {
            Admission.Release(table, call);
        }
        else
        {
            table.Queue.AddFirst(call, now);
        }
    }

    private static void Empty(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.State == WorkerState.Finishing)
        {
            Retirement.Leave(table, worker, now, actions);
        }
        else if (worker.State == WorkerState.Busy)
        {
            Dispatch.StopTaking(table, worker, now);
            worker.State = WorkerState.Silent;
            if (worker.PingedAt is null)
            {
                Wake(table, worker, now);
            }
            else if (worker.Bounces >= MostBounces)
            {
                Deaths.Kill(table, worker, KillReason.Stalled, now, actions);
            }
        }
    }

    /// <summary>A silent worker has answered: it lives, and gets calls again.</summary>
    public static void Wake(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.IsOverdue = false;
        if (worker.Due != DueReason.None)
        {
            table.Due++;
        }

        Dispatch.MakeIdle(table, worker, now);
    }

    private static void Suspect(PoolTable table, WorkerEntry worker, CallEntry first, TimeSpan now, PoolActions actions)
    {
        worker.IsOverdue = true;
        worker.Bounces++;
        first.Bounces++;
        Ping(worker, now, actions);
        Recall(worker, actions);
    }

    private static void Recall(WorkerEntry worker, PoolActions actions)
    {
        if (worker is { HasPage: true, IsRecalling: false, Sent.Last: { } last } && last.CallId > worker.StartedThrough)
        {
            worker.IsRecalling = true;
            worker.RecalledFrom = worker.StartedThrough + 1;
            actions.Add(PoolActionKind.Recall, worker, callId: worker.RecalledFrom);
        }
    }

    private static void Ping(WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.PingedAt is null)
        {
            worker.PingedAt = now;
            actions.Add(PoolActionKind.Ping, worker);
        }
    }

    // Nothing can wait for what runs: there is nothing else, or all run at once.
    private static bool IsAlone(PoolTable table, WorkerEntry worker) => worker.Sent.Count == 1 || !worker.HasPage || table.Settings.Concurrency > 1;

    private static TimeSpan Patience(CallEntry first) => Dispatch.StartPatience * (1 << Math.Min(first.Bounces, MostDoublings));

    private static bool Passed(PoolTable table, TimeSpan at, TimeSpan now)
    {
        if (at <= now)
        {
            return true;
        }

        table.Foresee(at);
        return false;
    }
}
