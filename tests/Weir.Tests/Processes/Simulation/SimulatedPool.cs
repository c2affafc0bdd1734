using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// The host's side of one pool: passes every event to the real decisions, in the order of a real host. Here: the events of owner,
/// callers and time, and how an event is applied; <see cref="WorkerNews"/>: the events of workers; <see cref="PoolHands"/>: the
/// execution of actions.
/// </summary>
internal sealed class SimulatedPool
{
    private readonly World _world;
    private readonly PoolActions _actions = new();
    private readonly OperationTime[] _times;
    private TimeSpan? _tick;

    public SimulatedPool(World world, int number)
    {
        _world = world;
        Number = number;
        Promised = world.Scenario.Settings();
        Table = new PoolTable(BrokenSettings.Of(Promised, world.Mutation));
        Oracle = new Oracle(world, this);
        Workers = new SimulatedWorker?[Table.Workers.Length];
        _times = [.. world.Scenario.Operations.Select(_ => new OperationTime())];
        News = new WorkerNews(world, this);
        Hands = new PoolHands(world, this);
    }

    public int Number { get; }

    /// <summary>The correct settings.</summary>
    public PoolSettings Promised { get; private set; }

    public PoolTable Table { get; }

    public Oracle Oracle { get; }

    public WorkerNews News { get; }

    public PoolHands Hands { get; }

    /// <summary>The processes, from their spawn until they are reaped.</summary>
    public SimulatedWorker?[] Workers { get; private set; }

    public List<SimulatedCall> Calls { get; } = [];

    public bool IsDrained { get; private set; }

    /// <summary>The pool was aborted.</summary>
    public bool IsAborted { get; private set; }

    private bool Is(Mutation mutation) => _world.Mutation == mutation;

    // ---- events of owner and time ----

    public void Open() => Apply("opens", PoolDecisions.Open);

    public void Drain() => Apply("drains", PoolDecisions.Drain);

    public void Abort()
    {
        IsAborted = true;
        Apply("is aborted", PoolDecisions.Abort);
    }

    public void Renew() => Apply("has a new generation", (table, now, actions) =>
    {
        Oracle.Generations.Renewed();
        PoolDecisions.Renew(table, now, actions);
        foreach (var entry in table.Workers)
        {
            if (Is(Mutation.KeepsTheOld) && entry.Due == RetirementReason.Generation)
            {
                table.Due -= entry.State is WorkerState.Idle or WorkerState.Busy ? 1 : 0;
                entry.Due = RetirementReason.None;
            }
            else if (Is(Mutation.ReplacesAtOnce) && entry.State is WorkerState.Idle or WorkerState.Busy)
            {
                Retirement.SendAway(table, entry, now, actions);
            }
        }
    });

    /// <summary>The owner changes the size of the pool.</summary>
    public void Resize(PoolSettings size) => Apply($"has {size.MinWorkers} to {size.MaxWorkers} workers and {size.QueueLimit} in the queue", (table, now, actions) =>
    {
        Promised = size;
        var used = BrokenSettings.Of(size, _world.Mutation);
        PoolDecisions.Resize(table, Is(Mutation.KeepsExcess) ? used with { MaxWorkers = Math.Max(used.MaxWorkers, table.Settings.MaxWorkers) } : used, now, actions);
        var workers = Workers;
        Array.Resize(ref workers, table.Workers.Length);
        Workers = workers;
    });

    public void Shrink() => Apply("frees capacity", (table, now, actions) => PoolDecisions.Shrink(table, 1, now, actions));

    /// <summary>A tick at a time for which no timer was set must find nothing to do.</summary>
    public void Probe()
    {
        var foreseen = Table.NextDue;
        if (foreseen <= _world.Now || Table.Wanted > 0 || _world.Capacity.Limit != int.MaxValue)
        {
            return;
        }

        Apply("is checked", PoolDecisions.Tick);
        Oracle.Probed(foreseen, _actions);
    }

    // ---- events of callers ----

    public void Come(SimulatedCall call)
    {
        Calls.Add(call);
        call.Time = _times[Array.IndexOf(_world.Scenario.Operations, call.Target)];
        call.Bytes = _world.Random.Next(50, 20_000);
        if (_world.Random.Next(4) > 0)
        {
            Apply($"{call} enters", (table, now, actions) => PoolDecisions.Enter(table, call, now, actions));
            Oracle.Came(call);
        }
        else
        {
            Apply($"{call} arrives", (table, now, actions) => PoolDecisions.Arrive(table, call, now, actions));
            Oracle.Came(call);
            if (call.State == CallState.Admitted)
            {
                Submit(call);
            }
        }
    }

    public void Leave(SimulatedCall call)
    {
        if (call.State is CallState.New or CallState.Ended)
        {
            return;
        }

        Apply($"{call} leaves", (table, now, actions) =>
        {
            if (call is { State: CallState.Sent, IsCancelled: false })
            {
                call.GoneAt = now;
                Check(call.Worker!, actions);
                if (Is(Mutation.CountsGraceFromLeaving))
                {
                    Oracle.Restarts.Hears(Workers[call.Worker!.Index]!, call.CallId);
                    WorkerDecisions.Started(table, call.Worker!, call.CallId, now, now, actions);
                }
            }

            if (PoolDecisions.Cancel(table, call, now, actions))
            {
                call.End("left");
            }
        });
    }

    /// <summary>The reader of a call's result has taken this many bytes: its worker may send as many again, if it still has the call.</summary>
    public void Grant(SimulatedCall call, uint bytes)
    {
        if (call is { State: CallState.Sent, Worker: { } worker })
        {
            Workers[worker.Index]!.Grant(call.CallId, bytes);
        }
    }

    /// <summary>The arguments are being written.</summary>
    public void Submit(SimulatedCall call) => _world.Time.After(_world.Random.NextDouble() * 3, () =>
        Apply($"{call} is submitted", (table, now, actions) => PoolDecisions.Submit(table, call, now, actions)));

    // ---- how an event is applied ----

    public void Apply(string what, Action<PoolTable, TimeSpan, PoolActions> decide)
    {
        // 1. Under the lock: the event, capacity for the workers that it requests, and withdrawals by compare-and-swap.
        if (_world.Traces)
        {
            _world.Note($"pool {Number}: {what}");
        }

        if (Is(Mutation.ForgetsPauses) && !Table.Restarts.IsClosed(_world.Now))
        {
            Table.Restarts.Forgive();
        }

        _actions.Clear();
        Oracle.Generations.Remember();
        decide(Table, _world.Now, _actions);
        Oracle.Generations.Check(what);
        Grow();
        for (var i = 0; i < _actions.Count; i++)
        {
            if (_actions[i].Kind == PoolActionKind.Withdraw)
            {
                Oracle.Generations.Remember();
                Withdraw(_actions[i]);
                Oracle.Generations.Check(what);
                Grow();
            }
        }

        Oracle.Check(what);

        // 2. After the lock: the actions.
        for (var i = 0; i < _actions.Count; i++)
        {
            Hands.Execute(_actions[i]);
        }

        if (Is(Mutation.DrainsEarly) && Table is { IsDraining: true, InPool: 0 } && !IsDrained && Table.Waiters.Count == 0)
        {
            OnDrained();
        }

        Arm();
    }

    private void Grow()
    {
        var isRefused = false;
        while (Table.Wanted > 0)
        {
            var (wanted, due) = (Table.Wanted, Table.Due);
            var capacity = Is(Mutation.IgnoresCapacity) ? Table.Wanted : _world.Capacity.Reserve(Table.Wanted);
            Table.Due = Is(Mutation.FreesNoCapacity) ? 0 : due;
            var started = PoolDecisions.Grow(Table, capacity, _world.Now, _actions);
            Table.Due = Is(Mutation.FreesNoCapacity) ? due : Table.Due;
            _world.Capacity.Release(Is(Mutation.IgnoresCapacity) ? -started : capacity - started);
            isRefused |= capacity < wanted;
        }

        if (isRefused)
        {
            Oracle.Generations.Refused();
        }
    }

    private void Withdraw(PoolAction action)
    {
        var worker = Workers[action.Worker!.Index]!;
        var first = Is(Mutation.NeverWithdraws) ? 0 : worker.Withdraw(action.CallId, action.Worker.LastCallId);
        if (_world.Traces)
        {
            _world.Note($"  from {worker} is withdrawn {first} to {action.Worker.LastCallId}");
        }

        if (first == 0)
        {
            Check(action.Worker, _actions);
        }

        var entry = action.Worker;
        var (from, to) = first == 0 ? (1UL, 0UL) : (first, entry.LastCallId);
        if (first > 0 && _world.Random.Next(2) == 0)
        {
            // Their callers do not have the memory back yet: until then the calls stay assigned to the worker.
            entry.Withdrawn = (from, to);
            _world.Time.After(0, () => Apply($"{worker} returned {from} to {to}", (table, now, actions) =>
            {
                entry.Withdrawn = (1, 0);
                WorkerDecisions.Withdrawn(table, entry, from, to, now, actions);
            }));
            return;
        }

        WorkerDecisions.Withdrawn(Table, entry, from, to, _world.Now, _actions);
    }

    // Reads the worker's shared memory.
    private void Check(WorkerEntry entry, PoolActions actions)
    {
        if (_world.Scenario.HaveSharedMemory && Workers[entry.Index] is { } worker && worker.Entry == entry)
        {
            Oracle.Restarts.Hears(worker, worker.Started);
            WorkerDecisions.Started(Table, entry, worker.Started, worker.StartedAt, _world.Now, actions);
        }
    }

    /// <summary>The pool reports that it is drained.</summary>
    public void OnDrained()
    {
        Oracle.Drained();
        IsDrained = true;
    }

    // ---- the pool's one timer ----

    private void Arm()
    {
        if (PoolDecisions.NextTick(Table) is { } at && (_tick is null || at < _tick) && !Is(Mutation.ForeseesNothing))
        {
            _tick = at;
            var late = _world.Scenario.TimerDelay * _world.Random.NextDouble();
            var wait = at - _world.Now + late;
            _world.Time.After(wait > TimeSpan.Zero ? wait : TimeSpan.Zero, () => Tick(at));
        }
    }

    private void Tick(TimeSpan foreseen)
    {
        // A timer that was moved to an earlier moment does not fire for the later one.
        if (_tick != foreseen)
        {
            return;
        }

        _tick = null;
        Apply("ticks", (table, now, actions) =>
        {
            foreach (var entry in table.Workers)
            {
                Check(entry, actions);
            }

            PoolDecisions.Tick(table, now, actions);
        });
    }
}
