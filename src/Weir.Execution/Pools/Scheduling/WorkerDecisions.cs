namespace Weir.Execution.Pools.Scheduling;

/// <summary>What the events of a worker mean for its calls and for the pool. The rules of <see cref="PoolDecisions"/> hold.</summary>
internal static class WorkerDecisions
{
    // ---- its life ----

    /// <summary>A worker is ready to take calls.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="hasSharedMemory">Whether it has shared memory: it publishes its progress there, and what it has not started can be withdrawn. Otherwise it sends STARTED, and gets only as many calls as it runs at a time.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    /// <returns><c>false</c> when it was given up before, or can never receive a call.</returns>
    public static bool Ready(PoolTable table, WorkerEntry worker, bool hasSharedMemory, TimeSpan now, PoolActions actions)
    {
        if (worker is not { State: WorkerState.Starting, IsMute: false, Killed: KillReason.None })
        {
            return false;
        }

        worker.HasSharedMemory = hasSharedMemory;
        table.ProvenGeneration = worker.Generation;
        table.Starting--;
        table.StartTime += (now - worker.SpawnedAt - table.StartTime) / 4;
        Dispatch.MakeIdle(table, worker, now);
        Retirement.Begin(table, worker, now, actions);
        Rebalance.Apply(table, now, actions);
        return true;
    }

    /// <summary>A worker did not become ready. <see cref="Reaped"/> follows.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="isDefinite">It reported why, or did not answer in time: the next one will fail too. Otherwise it exited or was killed, and the next one may not fail.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    public static void StartFailed(PoolTable table, WorkerEntry worker, bool isDefinite, TimeSpan now, PoolActions actions)
    {
        table.Starting--;
        worker.State = WorkerState.Exiting;
        if (!table.IsAborted && worker.Killed == KillReason.None)
        {
            table.Restarts.Strike(now);
        }

        if (isDefinite && worker.Killed == KillReason.None && worker.Generation == table.Generation)
        {
            // A generation that cannot start does not replace the old one. Without an old one, calls that wait now would only wait for
            // the same failure; calls that come later cause another try, within the budget.
            if (!Retirement.KeepOld(table, now, actions) && table.Live == 0 && table.Starting == 0)
            {
                AdmissionControl.EndAllWaiting(table, PoolActionKind.FailStart, actions);
            }
        }

        Rebalance.Apply(table, now, actions);
    }

    /// <summary>The private memory of the worker was measured, in bytes.</summary>
    public static void Measured(PoolTable table, WorkerEntry worker, long bytes, TimeSpan now, PoolActions actions)
    {
        if (bytes > table.Settings.SoftMemoryBytes && worker.State is WorkerState.Idle or WorkerState.Busy)
        {
            Retirement.SendAway(table, worker, now, actions, RetirementReason.Memory);
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>The worker has answered a PING.</summary>
    public static void Ponged(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        worker.PingedAt = null;
        if (worker.State == WorkerState.Silent && worker.Killed == KillReason.None)
        {
            StallDetection.Wake(table, worker, now);
            Rebalance.Apply(table, now, actions);
        }
    }

    // ---- its calls ----

    /// <summary>The worker has started all its calls up to this id: according to STARTED, or to its shared memory.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="through">The id. Withdrawn calls do not count, although their ids were passed.</param>
    /// <param name="at">When it started the last of them; not before it could, not after now.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    public static void Started(PoolTable table, WorkerEntry worker, ulong through, TimeSpan at, TimeSpan now, PoolActions actions)
    {
        if (Progress(table, worker, through, at, now))
        {
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>An item of a call's result has arrived, or one of its request is asked for.</summary>
    /// <returns>The call; <c>null</c> when it is none of the worker's that has started.</returns>
    public static CallEntry? Item(WorkerEntry worker, ulong callId)
    {
        var call = Answerable(worker, callId);
        if (call is not null)
        {
            call.HasItems = true;
        }

        return call;
    }

    /// <summary>The worker answered calls; their slots are free.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="answers">All that arrived together, or that were found in its shared memory after it failed; the call and whether it is an outcome are filled in.</param>
    /// <param name="perCall">The mean time of a call by the worker's clock; zero when it is not known.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    /// <returns>How many are answers to its calls. After fewer than all it broke the protocol with the next: nothing more is sent to it, <see cref="Violated"/> follows.</returns>
    public static int Answered(PoolTable table, WorkerEntry worker, Span<Answer> answers, TimeSpan perCall, TimeSpan now, PoolActions actions)
    {
        // 1. The valid answers, up to the first invalid one.
        var count = 0;
        var last = 0UL;
        for (; count < answers.Length && Answerable(worker, answers[count].CallId) is { } call && call.Accepts(answers[count]); count++)
        {
            answers[count].Call = call;
            answers[count].IsOutcome = call.TakesOutcome;
            last = Math.Max(last, call.CallId);
            if (call.IsFatal(answers[count]))
            {
                table.Quarantine.Blame(call, isExplained: true, now);
            }
            else
            {
                table.Quarantine.Clear(call, now);
            }

            Dispatch.Take(table, worker, call);
            AdmissionControl.Release(table, call);
        }

        if (count < answers.Length)
        {
            Die(table, worker, now);
        }

        if (count == 0)
        {
            return 0;
        }

        // 2. Learn from the times, and update the worker's progress.
        if (table.Settings.Concurrency == 1)
        {
            Estimates.Learn(worker, answers[..count], perCall, now);
        }

        Progress(table, worker, last, now, now);
        worker.CallsDone += count;
        worker.TurnSince = now;
        StallDetection.Passed(table, worker, 0, last, now);
        Watchdog.Answered(table, worker);

        // 3. The next calls.
        if (worker is { Sent.Count: 0, State: WorkerState.Busy })
        {
            table.Busy--;
            Dispatch.MakeIdle(table, worker, now);
        }
        else if (worker is { Sent.Count: 0, State: WorkerState.Finishing })
        {
            Retirement.Exit(table, worker, now, actions);
        }

        Rebalance.Apply(table, now, actions);
        return count;
    }

    /// <summary>The outcome of a withdrawal: none of its calls from the first to the last of these ids will be started. A first id above the last: no calls.</summary>
    public static void Withdrawn(PoolTable table, WorkerEntry worker, ulong first, ulong last, TimeSpan now, PoolActions actions)
    {
        StallDetection.Resolve(table, worker, first, last, now, actions);
        Rebalance.Apply(table, now, actions);
    }

    // ---- its end ----

    /// <summary>The end of the data channel was read: nothing more is sent to the worker while its shared memory is searched for what it could not send. <see cref="ChannelEnded"/> follows.</summary>
    public static void Closing(PoolTable table, WorkerEntry worker, TimeSpan now, PoolActions actions)
    {
        Die(table, worker, now);
        Rebalance.Apply(table, now, actions);
    }

    /// <summary>
    /// The data channel of a worker has ended, everything it sent was processed, and it starts nothing more. Of the remaining calls, those
    /// up to this id were running and are lost, or retried; the others return to the queue unseen. <see cref="Reaped"/> follows, after
    /// <see cref="StartFailed"/> for a worker that was not ready.
    /// </summary>
    public static void ChannelEnded(PoolTable table, WorkerEntry worker, ulong startedThrough, TimeSpan now, PoolActions actions)
    {
        Die(table, worker, now);
        if (worker.State == WorkerState.Exiting)
        {
            Progress(table, worker, startedThrough, now, now);
            WorkerFailure.Attribute(table, worker, now, actions);
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>
    /// A worker broke the protocol: calls up to this id are known to have started and complete at once, the worker is
    /// killed, and the other calls wait for its end. <see cref="Reaped"/> follows. One that was not ready only fails its start.
    /// </summary>
    public static void Violated(PoolTable table, WorkerEntry worker, ulong startedThrough, TimeSpan now, PoolActions actions)
    {
        Die(table, worker, now);
        if (worker.State == WorkerState.Exiting)
        {
            Progress(table, worker, startedThrough, now, now);
            WorkerFailure.Kill(table, worker, KillReason.BrokeProtocol, now, actions);
            WorkerFailure.EndStarted(table, worker, now, actions);
            Rebalance.Apply(table, now, actions);
        }
    }

    /// <summary>The process is gone and reaped; its place is free, its capacity is the host's again.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="startedThrough">All its calls up to this id had started; 0 if the end of its channel reported that already.</param>
    /// <param name="next">A new entry of the same index for the next worker in its place: code that still holds the old entry does not affect the new one.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="actions">What to do.</param>
    public static void Reaped(PoolTable table, WorkerEntry worker, ulong startedThrough, WorkerEntry next, TimeSpan now, PoolActions actions)
    {
        Progress(table, worker, startedThrough, now, now);
        WorkerFailure.Attribute(table, worker, now, actions);
        WorkerFailure.FailLostCalls(table, worker, actions);
        worker.State = WorkerState.Absent;
        table.Workers[worker.Index] = next;
        table.Occupied--;
        Rebalance.Apply(table, now, actions);
    }

    // One that is not ready only fails its start.
    private static void Die(PoolTable table, WorkerEntry worker, TimeSpan now)
    {
        if (worker.State == WorkerState.Starting)
        {
            worker.IsMute = true;
        }
        else if (worker.State is not (WorkerState.Exiting or WorkerState.Absent))
        {
            WorkerFailure.Die(table, worker, now);
        }
    }

    // A worker with shared memory may have started calls that the host has not noticed yet; one that sends STARTED may not answer before it.
    private static CallEntry? Answerable(WorkerEntry worker, ulong callId) =>
        worker.HasSharedMemory || callId <= worker.StartedThrough ? worker.Find(callId) : null;

    // Whether anything follows from it for the pool.
    private static bool Progress(PoolTable table, WorkerEntry worker, ulong through, TimeSpan at, TimeSpan now)
    {
        through = Math.Min(through, worker.LastCallId);
        if (through <= worker.StartedThrough)
        {
            return false;
        }

        // 1. The worker works.
        worker.StartedThrough = through;
        worker.StartedAt = at > now ? now : at < worker.TurnSince ? worker.TurnSince : at;
        worker.HasStarted = true;
        worker.FailedStarts = 0;
        Watchdog.Started(table, worker);
        var wasStalled = StallDetection.Passed(table, worker, through, 0, now);

        // 2. The pool's problem with starting workers is over.
        var wasPaused = table.Restarts.IsProbing;
        table.Restarts.Forgive();
        return wasPaused || wasStalled;
    }
}
