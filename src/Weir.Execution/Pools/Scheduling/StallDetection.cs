namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// A call that runs much longer than usual must not keep others waiting: calls sent behind it are withdrawn, and the answers of calls
/// finished before it are requested. The same holds for a worker that does not start what it was given. Until it makes progress, nothing
/// more is sent to it.
/// </summary>
internal static class StallDetection
{
    /// <summary>A call gets at least this time before the calls behind it are withdrawn.</summary>
    public static readonly TimeSpan LeastLong = TimeSpan.FromMilliseconds(1);

    /// <summary>And this many times its usual time.</summary>
    public const int Unusual = 4;

    /// <summary>A worker that did not start what it was given this many times in a row is killed.</summary>
    public const int MostFailedStarts = 3;

    private const int MostDoublings = 7;

    /// <summary>Something was sent or answered: when to check the worker next, at the earliest.</summary>
    public static void ScheduleTick(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker.IsStalled || worker.Sent.Count == 0)
        {
            return;
        }

        if (InTurn(table, worker) is { } next)
        {
            table.ScheduleTick(StartsBy(table, worker, next));
        }

        if (!IsAlone(table, worker))
        {
            table.ScheduleTick(now + LeastLong);
        }
    }

    /// <summary>It has started a call, or answered one, up to this id: the stall may be over.</summary>
    /// <returns>Whether it is over: waiting calls may be sent to the worker again.</returns>
    public static bool Passed(PoolTable table, WorkerEntry worker, ulong started, ulong answered, TimeSpan now)
    {
        var isOver = worker.IsStalled && (started >= worker.StalledBefore || answered + 1 >= worker.StalledBefore);
        if (isOver)
        {
            worker.StalledBefore = 0;
        }

        ScheduleTick(table, worker, now);
        return isOver;
    }

    /// <summary>Checks one worker with calls, whose progress is up to date.</summary>
    public static void Check(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker is not { State: WorkerState.Busy or WorkerState.Finishing, IsStalled: false, Sent.First: { } first })
        {
            return;
        }

        if (InTurn(table, worker) is { } next)
        {
            // 1. It is the turn of this call, and it does not run.
            if (IsTime(table, StartsBy(table, worker, next), now))
            {
                OnStall(table, worker, next, now, actions);
            }
            else
            {
                // It may start any moment, and others are behind it.
                ScheduleTick(table, worker, now);
            }
        }
        else if (!IsAlone(table, worker))
        {
            // 2. A call runs, and others wait for it: sent behind it, or finished before it and their answers not sent.
            var running = worker.Find(worker.StartedThrough);
            var usual = (running?.Expected ?? TimeSpan.Zero) * Unusual;
            if (IsTime(table, worker.StartedAt + (usual > LeastLong ? usual : LeastLong), now))
            {
                worker.StalledBefore = worker.StartedThrough + 1;
                Withdraw(worker, actions);
                if (first.CallId < worker.StartedThrough)
                {
                    Ping(table, worker, now, actions);
                }
            }
        }
    }

    /// <summary>The outcome of a withdrawal.</summary>
    public static void Resolve(PoolTable table, WorkerEntry worker, ulong first, ulong last, TimeSpan now, PoolActions actions)
    {
        // 1. Back to the queue, before all others and in their order.
        worker.IsWithdrawing = false;
        var any = false;
        for (var call = worker.Sent.Last; call is not null && call.CallId >= first;)
        {
            var previous = call.Previous;
            if (call.CallId <= last && call.State == CallState.Sent)
            {
                any = true;
                worker.Taken--;
                Return(table, worker, call, now, actions);
            }

            call = previous;
        }

        // 2. It has no call left, because it did not start those it had: it must show that it responds.
        if (any && worker.Sent.Count == 0)
        {
            Empty(table, worker, now, actions);
        }
    }

    private static void Return(PoolTable table, WorkerEntry worker, CallEntry call, TimeSpan now, PoolActions actions)
    {
        Dispatch.Take(table, worker, call);
        if (call.IsCancelled)
        {
            AdmissionControl.Drop(table, call, actions);
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
            Retirement.Exit(table, worker, now, actions);
        }
        else if (worker.State == WorkerState.Busy)
        {
            Dispatch.StopTaking(table, worker, now);
            worker.State = WorkerState.Silent;
            if (worker.PingedAt is null)
            {
                Wake(table, worker, now);
            }
            else if (worker.FailedStarts >= MostFailedStarts)
            {
                WorkerFailure.Kill(table, worker, KillReason.Stalled, now, actions);
            }
        }
    }

    /// <summary>A silent worker has answered a PING: it gets calls again.</summary>
    public static void Wake(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        worker.StalledBefore = 0;
        if (worker.Due != RetirementReason.None)
        {
            table.Due++;
        }

        Dispatch.MakeIdle(table, worker, now);
    }

    private static void OnStall(PoolTable table, WorkerEntry worker, CallEntry next, TimeSpan now, PoolActions actions)
    {
        worker.StalledBefore = next.CallId;
        worker.FailedStarts++;
        next.FailedStarts++;
        Ping(table, worker, now, actions);
        Withdraw(worker, actions);
    }

    private static void Withdraw(WorkerEntry worker, PoolActions actions)
    {
        if (worker is { HasSharedMemory: true, IsWithdrawing: false, Sent.Last: { } last } && last.CallId > worker.StartedThrough)
        {
            worker.IsWithdrawing = true;
            actions.Add(PoolActionKind.Withdraw, worker, callId: worker.StartedThrough + 1);
        }
    }

    /// <summary>Sends a PING to the worker, unless it has not answered the last one. The worker then sends at once what it has finished, and wakes its host.</summary>
    public static void Ping(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        if (worker.PingedAt is null)
        {
            worker.PingedAt = now;
            if (table.Settings.StallTimeout is { } timeout)
            {
                table.ScheduleTick(now + timeout);
            }

            actions.Add(PoolActionKind.Ping, worker);
        }
    }

    // No call can wait for the one that runs: there is no other call, or all run at once.
    private static bool IsAlone(PoolTable table, WorkerEntry worker) => worker.Sent.Count == 1 || !worker.HasSharedMemory || table.Settings.Concurrency > 1;

    // The first call that could run and is not known to run: if several run at a time, each could run from when it was sent.
    private static CallEntry? InTurn(PoolTable table, WorkerEntry worker)
    {
        if (table.Settings.Concurrency == 1)
        {
            return worker.Sent.First!.CallId > worker.StartedThrough ? worker.Sent.First : null;
        }

        CallEntry? next = null;
        for (var call = worker.Sent.Last; call is not null && call.CallId > worker.StartedThrough; call = call.Previous)
        {
            next = call;
        }

        return next;
    }

    private static TimeSpan StartsBy(PoolTable table, WorkerEntry worker, CallEntry next) =>
        table.CountedFrom(table.Settings.Concurrency == 1 ? worker.TurnSince : next.SentAt) + (Dispatch.StartPatience * (1 << Math.Min(next.FailedStarts, MostDoublings)));

    private static bool IsTime(PoolTable table, TimeSpan at, TimeSpan now)
    {
        if (at <= now)
        {
            return true;
        }

        table.ScheduleTick(at);
        return false;
    }
}
