using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;

namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold, checked against what really happened and the correct settings, never against the state of the decisions alone.</summary>
internal sealed class Oracle(World world, SimulatedPool pool)
{
    private readonly Dictionary<SimulatedWorker, ulong> _lastSent = [];
    private TimeSpan? _shortSince;
    private int _inPool;
    private int _occupied;
    private bool _isChecked;
    private bool _isRefused;
    private TimeSpan? _stoodStillAt;

    public StreamRules Streams { get; } = new(world, pool);

    public RestartRules Restarts { get; } = new(world, pool);

    public QuarantineRules Quarantine { get; } = new(world, pool);

    public ReadinessRules Readiness { get; } = new(pool);

    public GenerationRules Generations { get; } = new(world, pool);

    private PoolSettings Promised => pool.Promised;

    private PoolTable Table => pool.Table;

    // How late a decision may be: the delay of the timer, twice, because a timer that fires early is set again; the timer's resolution of a
    // millisecond; a preempted thread; a second where a tick may fail; and nothing is promised of a host that stood still.
    private TimeSpan Late => (2 * (world.Scenario.TimerDelay + TimeSpan.FromMilliseconds(1))) + TimeSpan.FromMilliseconds(0.01 + world.Scenario.Preemption)
        + TimeSpan.FromSeconds((world.Scenario.FailsTicks ? 2 : 0) + (world.HasStoodStill ? 60 : 0));

    private TimeSpan Way => TimeSpan.FromMilliseconds(world.Scenario.Latency);

    public void Holds(bool holds, string rule, string detail)
    {
        if (!holds)
        {
            // The first one: code of the pool may have caught it, and violated another rule then.
            throw world.Fault ??= new SimulationFault(rule, $"{detail}, at {world.Now.TotalMilliseconds} ms, pool {pool.Number}");
        }
    }

    // ---- the moments of an event ----

    /// <summary>An event is decided, before workers are started for it.</summary>
    public void BeforeGrowth()
    {
        pool.Time.MayFailNoMore();
        if (!_isChecked)
        {
            Generations.Check(pool.Event);
            _isChecked = true;
        }
    }

    /// <summary>The host had no capacity for a worker that the pool requested.</summary>
    public void Refused() => _isRefused = true;

    /// <summary>An event is decided completely, and nothing is carried out yet.</summary>
    public void Decided()
    {
        BeforeGrowth();
        if (_isRefused)
        {
            Generations.Refused();
        }

        _isChecked = _isRefused = false;
        Readiness.Check();
        Check(pool.Event);
        Generations.Remember();
    }

    /// <summary>The timer was so late that the host must have stood still.</summary>
    public void NoticesStop() => _stoodStillAt = world.Now;

    // ---- calls ----

    public void Ends(SimulatedCall call, string how)
    {
        call.Outcomes.Add(how);
        if (world.Traces)
        {
            world.Note($"  {call} ended: {how}");
        }

        Holds(call.Outcomes.Count == 1, "a call has one outcome", $"{call}: {string.Join(", ", call.Outcomes)}");
        switch (how)
        {
            case "answered":
                Holds(call.IsSafe, "an answer belongs to a call that has run completely", $"{call}");
                break;

            case nameof(PoolActionKind.FailLost):
                Holds(call.WasStarted || call.MayHaveStarted, "a call that fails as lost had started", $"{call}");
                Holds(!call.IsSafe || call.LastWorker!.IsUnreadable, "a finished result is delivered", $"{call}");
                break;

            case nameof(PoolActionKind.FailViolation):
                Holds(
                    call.LastWorker!.IsUnreadable && (call.WasStarted || !world.Scenario.HaveSharedMemory), "a violation fails started calls only",
                    $"{call}");
                break;

            case nameof(PoolActionKind.FailUnstarted):
                Holds(!call.WasStarted, "a call that fails as not started had not started", $"{call}");
                break;

            case "left":
                // A worker that broke the protocol is killed, and its idempotent calls wait for another one.
                Holds(!call.Asked.EndsWithItsCode || call.LastWorker is null or { IsUnreadable: true } || !call.LastWorker.Running.Any(run => run.Call == call), "a call that ends with its code ends after it", $"{call}");
                break;

            case "unwritten":
                Holds(!call.WasStarted, "a call without arguments has not run", $"{call}");
                break;

            case nameof(PoolActionKind.RejectQuarantined):
                Holds(!call.WasStarted, "a quarantined call has not run", $"{call}");
                Quarantine.TurnedAway(call);
                break;

            default:
                Holds(call.Runs == 0 || call.MayRunTwice, "a rejected call has not run", $"{call}: {how}");
                break;
        }
    }

    /// <summary>A call has arrived, and nothing has happened since.</summary>
    public void Came(SimulatedCall call)
    {
        Holds(!call.HasLeft || call.IsCancelled || call.State == CallState.Ended, "a call whose caller has left before is cancelled", $"{call} is {call.State}");
        Holds(
            call.Asked.Admission != CallAdmission.Free || call.State is CallState.Sent or CallState.Ended || Table.InPool - Table.Prefetched <= Promised.MaxWorkers * Promised.Concurrency,
            "a call that asks for a free worker is not queued", $"{call} is {call.State}, {Table.InPool} in the pool");
    }

    public void Runs(SimulatedCall call, SimulatedWorker worker)
    {
        Holds(call.Runs == 1 || call.MayRunTwice, "a call that is not idempotent runs once", $"{call} runs {call.Runs} times");

        // A worker that broke the protocol may start an idempotent call, before it is killed, that waits for another one, has one, or has failed since.
        if (worker.IsUnreadable && (call.LastWorker != worker || call.MayHaveStarted))
        {
            return;
        }

        Holds(call.Runs == 1 || !call.WasSeen, "a call whose reader has seen an item is not run again", $"{call}");
        Holds(call.Runs <= 1 + (call.Asked.Retries ?? Promised.MostRetries), "the number of retries is bounded", $"{call} runs {call.Runs} times");
        Holds(
            call.Outcomes.TrueForAll(how => (how is "left" && !call.Asked.EndsWithItsCode) || how is nameof(PoolActionKind.FailViolation)), "a call does not run after its outcome",
            $"{call} ended: {string.Join(", ", call.Outcomes)}");
    }

    // ---- workers ----

    public void Dispatched(SimulatedWorker worker, SimulatedCall call, ulong id)
    {
        Holds(id == _lastSent.GetValueOrDefault(worker) + 1, "ids have no gaps", $"{worker}: {id} after {_lastSent.GetValueOrDefault(worker)}");
        Holds(worker.Entry.Taken <= (Promised.MostTasks ?? long.MaxValue), "a worker has no more calls than it may have", $"{worker}: {worker.Entry.Taken}");
        Holds(!call.IsLent, "the memory of a withdrawn call is returned before it is used again", $"{call} to {worker}");
        Quarantine.Dispatched(call);
        _lastSent[worker] = id;
        call.LastWorker = worker;
        call.IsSafe = false;
    }

    public void Retires(SimulatedWorker worker) =>
        Holds(worker.Entry.Sent.Count == 0 && worker.Running.Count == 0, "a worker retires between calls", $"{worker}");

    public void Kills(SimulatedWorker worker)
    {
        var time = worker.Entry.Killed switch { KillReason.IgnoredCancel => Promised.CancelGrace, KillReason.Stalled => Promised.StallTimeout, _ => null };
        var least = time > Watchdog.CatchUpTime ? time : Watchdog.CatchUpTime;
        Holds(
            _stoodStillAt is not { } stood || world.Now - stood >= least || worker.Entry.Killed is not (KillReason.IgnoredCancel or KillReason.Stalled or KillReason.DidNotExit)
                || Table.IsDraining,
            "a host that stood still gives its workers their time again", $"{worker}: {worker.Entry.Killed} after {world.Now - _stoodStillAt}");
        switch (worker.Entry.Killed)
        {
            case KillReason.IgnoredCancel:
                Holds(Calls(worker.Entry).Any(IsIgnored), "no worker is killed before the grace is over", $"{worker}");
                break;

            case KillReason.Stalled:
                // Without shared memory, the message that it has started may be on its way.
                Holds(
                    worker.Running.All(run => !world.Scenario.HaveSharedMemory && world.Now - run.Since <= Way), "a worker that runs something is not stalled",
                    $"{worker}");
                break;

            case KillReason.DidNotExit:
                Holds(worker.Entry.Sent.Count == 0, "a worker retires between calls", $"{worker}");
                break;
        }
    }

    public void Drained()
    {
        Holds(Array.TrueForAll(pool.Workers, static worker => worker is null), "a drain does not complete early", "a process is left");
        Holds(pool.Calls.TrueForAll(static call => call.Outcomes.Count == 1), "a drain does not complete early", "a call is left");
    }

    /// <summary>Called when no event is left.</summary>
    public void Rests()
    {
        Readiness.Rests();
        Holds(Table is { InPool: 0, Waiters.Count: 0, Queue.Count: 0 }, "every call completes", $"{Table.InPool} in the pool, {Table.Waiters.Count} wait");
        Holds(Table.NextDue is null, "no timer is set when no event is left", $"{Table.NextDue}");
        var short_ = Table.Live < Promised.MinWorkers && !Table.IsDraining && !world.Capacity.IsFull;
        Holds(!short_, "an idle pool is at its minimum", $"{Table.Live} of {Promised.MinWorkers}");
        Holds(
            Promised.IdleTimeout is null || Table.Live <= Promised.MinWorkers || Table.IsDraining, "an idle pool is at its minimum",
            $"{Table.Live} of {Promised.MinWorkers}");
    }

    public void Probed(TimeSpan? foreseen, PoolActions actions)
    {
        Holds(
            actions.Count == 0, "a timer is set for every change by time",
            $"{(actions.Count > 0 ? actions[0].Kind : default)} was not, the timer is set for {foreseen}");
        Holds(
            Table.NextDue is null || foreseen <= Table.NextDue + TimeSpan.FromMilliseconds(1), "a timer is set for every change by time",
            $"next is {Table.NextDue}, the timer is set for {foreseen}");
    }

    // ---- after every event ----

    private void Check(string after)
    {
        Count(after);
        Bound(after);
        foreach (var worker in pool.Workers)
        {
            if (worker is not null)
            {
                Streams.Check(worker, Late, after);
                LookAhead(worker, after);
                LookAtGraces(worker, after);
                LookForMissedWakes(worker, after);
            }
        }

        LookForStarvation(after);
    }

    private void Count(string after)
    {
        int idle = 0, busy = 0, starting = 0, occupied = 0, due = 0, sent = 0;
        foreach (var entry in Table.Workers)
        {
            occupied += entry.State == WorkerState.Absent ? 0 : 1;
            idle += entry.State == WorkerState.Idle ? 1 : 0;
            busy += entry.State == WorkerState.Busy ? 1 : 0;
            starting += entry.State == WorkerState.Starting ? 1 : 0;
            due += entry.Due != RetirementReason.None && entry.State is WorkerState.Idle or WorkerState.Busy && entry.Due != RetirementReason.None ? 1 : 0;
            sent += entry.Sent.Count;
            var holds = entry.State switch
            {
                WorkerState.Busy or WorkerState.Finishing => entry.Sent.Count > 0,
                WorkerState.Exiting => true,
                _ => entry.Sent.Count == 0,
            };
            Holds(holds, "a worker's state shows whether it has calls", $"{entry.State} with {entry.Sent.Count} after '{after}'");
        }

        Holds(
            (occupied, idle, busy, starting, due) == (Table.Occupied, Table.Idle.Count, Table.Busy, Table.Starting, Table.Due), "the table counts correctly",
            $"{(occupied, idle, busy, starting, due)} are {(Table.Occupied, Table.Idle.Count, Table.Busy, Table.Starting, Table.Due)} after '{after}'");

        int inPool = 0, queued = 0, waiting = 0, with = 0, ahead = 0;
        foreach (var entry in Table.Workers)
        {
            ahead += Math.Max(0, entry.Sent.Count - Promised.Concurrency);
        }

        foreach (var call in pool.Calls)
        {
            inPool += call.State is CallState.Admitted or CallState.Queued or CallState.Sent or CallState.Lost ? 1 : 0;
            queued += call.State == CallState.Queued ? 1 : 0;
            waiting += call.State == CallState.Waiting ? 1 : 0;
            with += call.State is CallState.Sent or CallState.Lost ? 1 : 0;
        }

        Holds(
            (inPool, queued, waiting, with, ahead) == (Table.InPool, Table.Queue.Count, Table.Waiters.Count, sent, Table.Prefetched), "the table counts correctly",
            $"{(inPool, queued, waiting, with, ahead)} are {(Table.InPool, Table.Queue.Count, Table.Waiters.Count, sent, Table.Prefetched)} after '{after}'");
    }

    private void Bound(string after)
    {
        // After it was lowered no worker is started until enough have exited, and those above it get no calls.
        Holds(
            Table.Occupied <= Math.Max(Promised.MaxWorkers, _occupied), "the maximum of workers is respected",
            $"{Table.Occupied} of {Promised.MaxWorkers} after '{after}'");
        _occupied = Table.Occupied;
        var serving = Table.Workers.Count(static entry => entry is { State: WorkerState.Idle or WorkerState.Busy } or { State: WorkerState.Starting, Killed: KillReason.None });
        Holds(
            serving <= Promised.MaxWorkers || Table.IsDraining, "workers above a lower maximum retire",
            $"{serving} of {Promised.MaxWorkers} serve after '{after}'");

        // Prefetched calls that a worker returns were in the pool before.
        var taken = Table.InPool - Table.Prefetched;
        Holds(taken <= Promised.Places || Table.InPool <= _inPool, "the number of places is respected", $"{taken} of {Promised.Places} after '{after}'");
        _inPool = Table.InPool;
        Holds(world.Capacity.Reserved <= world.Capacity.Limit, "the maximum over all pools is respected", $"{world.Capacity.Reserved} of {world.Capacity.Limit} after '{after}'");
        Holds(Table.Starting <= Promised.MostStarting, "not too many start at once", $"{Table.Starting} after '{after}'");
        Holds(Table.Waiters.Count == 0 || taken >= Promised.Places, "no caller waits while there is a place", $"after '{after}'");
        Holds(Table.Queue.Count == 0 || Table.Idle.Count == 0, "no worker idles while a call waits", $"after '{after}'");
    }

    private void LookAhead(SimulatedWorker worker, string after)
    {
        var entry = worker.Entry;
        if (entry.Sent.Count <= Promised.Concurrency || entry.State is not (WorkerState.Busy or WorkerState.Finishing))
        {
            return;
        }

        // 1. Only calls that are known to be short are prefetched.
        var time = TimeSpan.Zero;
        long bytes = 0;
        foreach (var call in Calls(entry))
        {
            Holds(
                call.Expected is not null && !call.Target.IsStreamed, "calls of unknown duration are not prefetched, and nothing behind them",
                $"{call} to {worker} after '{after}'");
            time += call.Expected!.Value;
            bytes += call.Bytes;
        }

        Holds(world.Scenario.HaveSharedMemory && Promised.Concurrency == 1, "only workers that can return calls get prefetched calls", $"{worker}");
        Holds(
            time <= Promised.LongestBacklog && bytes <= Promised.MostPrefetchedBytes, "prefetch is bounded",
            $"{time}, {bytes} bytes to {worker} after '{after}'");

        // 2. They do not wait for a long call: at most a millisecond after the answer before it was read, and one more if they arrived late.
        if (worker is { IsAlive: true, Running: [var run] } && entry.Killed == KillReason.None && entry.Sent.Last!.CallId > worker.Started)
        {
            Holds(
                world.Now - run.Since <= (2 * StallDetection.LeastLong) + Late + Way, "no call waits behind a long one",
                $"{entry.Sent.Last} behind {run.Call} in {worker} after '{after}'");
        }
    }

    private void LookAtGraces(SimulatedWorker worker, string after)
    {
        if (!worker.IsAlive || worker.Entry.Killed != KillReason.None)
        {
            return;
        }

        foreach (var run in worker.Running)
        {
            if (run.Call.GoneAt is { } gone)
            {
                var from = gone > run.Since ? gone : run.Since;
                var look = TimeSpan.FromMilliseconds(200) * (1 << run.Call.FailedStarts);
                Holds(
                    world.Now - from <= Promised.CancelGrace + look + Late + (2 * Way), "a worker that ignores a cancel is killed",
                    $"{worker}, {run.Call} after '{after}'");
            }
        }
    }

    private void LookForMissedWakes(SimulatedWorker worker, string after)
    {
        var isBusy = worker is { IsAlive: true, Entry: { Killed: KillReason.None, State: WorkerState.Busy or WorkerState.Finishing } };
        Holds(
            !isBusy || worker.MissedSince is not { } since || world.Now - since <= (2 * MissedWakes.Interval) + Late + (2 * Way), "a missed wake is noticed",
            $"{worker}, since {worker.MissedSince} after '{after}'");
    }

    private void LookForStarvation(string after)
    {
        // A call waits, a worker could be started for it, and none is.
        var isShort = Table.Queue.Count > 0 && Table.Starting == 0 && Table.Occupied < Promised.MaxWorkers
            && !world.Capacity.IsFull && !Restarts.IsClosed;
        _shortSince = isShort ? _shortSince ?? world.Now : null;
        var patience = world.Capacity.Limit == int.MaxValue ? Table.StartTime : ScaleOut.CapacityPause;
        Holds(
            _shortSince is not { } since || world.Now - since <= patience + Late, "a call that waits is served or has a worker started for it",
            $"{Table.Queue.Count} since {_shortSince} after '{after}'");
        Holds(
            !isShort || Table.Live > 0 || world.Capacity.Limit != int.MaxValue, "a call that waits while there is no worker has one started for it",
            $"after '{after}'");
    }

    private bool IsIgnored(SimulatedCall call)
    {
        var since = world.Now - Promised.CancelGrace;
        var unheard = world.Scenario.MissedWakes > 0 ? 2 * MissedWakes.Interval : TimeSpan.FromMilliseconds(1);
        return call.GoneAt <= since && call.WasStarted && call.BeganAt <= since && (call.FinishedAt is null || call.FinishedAt >= world.Now - (2 * Way) - Late - unheard);
    }

    private static IEnumerable<SimulatedCall> Calls(WorkerEntry entry)
    {
        for (var call = entry.Sent.First; call is not null; call = call.Next)
        {
            yield return (SimulatedCall)call;
        }
    }
}
