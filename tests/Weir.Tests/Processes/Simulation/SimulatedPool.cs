using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Processes.Simulation;

/// <summary>One pool: the real core with simulated workers, callers and time. Here: the events of owner, callers and time; <see cref="SimulatedConnection"/>: those of workers.</summary>
internal sealed class SimulatedPool
{
    private static readonly OperationCanceledException Left = new();

    private readonly OperationTime[] _times;
    private readonly PoolGenerations<int> _generations = new(0);
    private readonly SimulatedObserver _observer;

    public SimulatedPool(World world, int number)
    {
        World = world;
        Number = number;
        Promised = world.Scenario.Settings();
        BreaksAt = world.Random.Next(3) == 0 ? world.Random.Next(1, 3) : int.MaxValue;
        _times = [.. world.Scenario.Operations.Select(_ => new OperationTime())];
        _observer = new SimulatedObserver(world, this);
        Time = new PoolTime(world, this);
        Core = new PoolCore(BrokenSettings.Of(Promised, world.Mutation), Time, new CapacityPort(world, this), CreateWorker, _observer);
        Table = Core.Read(0, static (table, _) => table);
        Workers = new SimulatedWorker?[Table.Workers.Length];
        Oracle = new Oracle(world, this);
    }

    public World World { get; }

    public int Number { get; }

    public PoolCore Core { get; }

    public PoolTime Time { get; }

    /// <summary>The table of the core, to look at.</summary>
    public PoolTable Table { get; }

    /// <summary>The correct settings.</summary>
    public PoolSettings Promised { get; private set; }

    public Oracle Oracle { get; }

    /// <summary>From this generation on no worker can start, while errors are injected.</summary>
    public int BreaksAt { get; }

    /// <summary>The processes, from the decision to start them until they are reaped.</summary>
    public SimulatedWorker?[] Workers { get; private set; }

    public List<SimulatedCall> Calls { get; } = [];

    /// <summary>The event that is being decided.</summary>
    public string Event { get; private set; } = "";

    public bool IsDrained { get; private set; }

    /// <summary>The pool was aborted.</summary>
    public bool IsAborted { get; private set; }

    private bool Is(Mutation mutation) => World.Mutation == mutation;

    /// <summary>An event begins.</summary>
    public void Begin(string what)
    {
        Event = what;
        if (World.Traces)
        {
            World.Note($"pool {Number}: {what}");
        }
    }

    // ---- events of owner and time ----

    public void Open()
    {
        Begin("opens");
        Core.Open();
    }

    public void Drain()
    {
        Begin("drains");
        Core.Drain();
    }

    public void Abort()
    {
        IsAborted = true;
        Begin("is aborted");
        Core.Abort();
    }

    /// <summary>Someone waits until the pool is ready.</summary>
    public void Await()
    {
        Begin("is waited for");
        Oracle.Readiness.Waits(_observer.Readiness.Begin(Core), Table.Generation);
    }

    public void Renew()
    {
        Begin("has a new generation");
        Oracle.Generations.Renewed();
        Oracle.Readiness.Waits(_observer.Readiness.Renew(Core, _generations, Table.LastGeneration + 1), Table.LastGeneration);
        if (World.Mutation is Mutation.KeepsTheOld or Mutation.ReplacesAtOnce)
        {
            Core.Decide(this, static (table, pool, now, actions) => pool.BreakRenewal(now, actions));
        }
    }

    /// <summary>The owner changes the size of the pool.</summary>
    public void Resize(PoolSettings size)
    {
        Begin($"has {size.MinWorkers} to {size.MaxWorkers} workers and {size.QueueLimit} in the queue");
        Promised = size;
        var used = BrokenSettings.Of(size, World.Mutation);
        Core.Resize(Is(Mutation.KeepsExcess) ? used with { MaxWorkers = Math.Max(used.MaxWorkers, Table.Settings.MaxWorkers) } : used);
    }

    public void Shrink()
    {
        Begin("frees capacity");
        Core.Decide(1, static (table, count, now, actions) => PoolDecisions.Shrink(table, count, now, actions));
    }

    /// <summary>A tick at a time for which no timer was set must find nothing to do.</summary>
    public void Probe()
    {
        var foreseen = Table.NextDue;
        if (foreseen <= World.Now || Table.Wanted > 0 || World.Capacity.Limit != int.MaxValue || Array.Exists(Table.Workers, static entry => entry.MissedWake))
        {
            return;
        }

        Begin("is checked");
        var actions = Core.Apply(0, static (table, _, now, actions) => PoolDecisions.Tick(table, now, actions));
        Oracle.Probed(foreseen, actions);
        Core.Execute(actions);
    }

    /// <summary>Looks whether the pool says that it is drained.</summary>
    public void Look()
    {
        if (!IsDrained && (Core.Drained.IsCompleted || (Is(Mutation.DrainsEarly) && Table is { IsDraining: true, InPool: 0, Waiters.Count: 0 })))
        {
            Oracle.Drained();
            IsDrained = true;
        }
    }

    // ---- events of callers ----

    public void Come(SimulatedCall call)
    {
        Calls.Add(call);
        call.Time = _times[Array.IndexOf(World.Scenario.Operations, call.Target)];
        call.Bytes = World.Random.Next(50, 20_000);
        call.GoneAt = call.HasLeft ? World.Now : null;
        call.IsWritten = World.Random.Next(4) > 0;
        Begin(call.IsWritten ? $"{call} enters" : $"{call} arrives");
        if (call.IsWritten)
        {
            Core.Enter(call);
            Oracle.Came(call);
        }
        else
        {
            var state = Core.Arrive(call);
            Oracle.Came(call);
            if (state == CallState.Admitted)
            {
                Submit(call);
            }
        }

        if (call.State == CallState.Waiting)
        {
            // What follows from it was decided when it came.
            Probe();
        }
    }

    public void Leave(SimulatedCall call)
    {
        if (call.State is CallState.New or CallState.Ended)
        {
            return;
        }

        if (call is { State: CallState.Sent, IsCancelled: false })
        {
            call.GoneAt = World.Now;
            if (Is(Mutation.CountsGraceFromLeaving))
            {
                Oracle.Restarts.Hears(Workers[call.Worker!.Index]!, call.CallId);
                Core.Decide(call, static (table, call, now, actions) => WorkerDecisions.Started(table, call.Worker!, call.CallId, now, now, actions));
            }
        }

        Begin($"{call} leaves");
        Core.Cancel(call, CancelReason.Caller, Left);
    }

    /// <summary>The reader of a call's result has taken this many bytes: its worker may send as many again, if it still has the call.</summary>
    public void Grant(SimulatedCall call, uint bytes) => Core.Grant(call, bytes);

    /// <summary>The arguments are being written.</summary>
    public void Submit(SimulatedCall call) => World.OnHost(World.Random.NextDouble() * 3, () =>
    {
        Begin($"{call} is submitted");
        if (World.InjectsFault())
        {
            Core.Cancel(call, CancelReason.Caller, new SimulatedFailure());
        }
        else
        {
            Core.Submit(call);
        }
    });

    // ---- its workers ----

    /// <summary>A worker has a place.</summary>
    public void Place(SimulatedWorker worker)
    {
        if (Workers.Length < Table.Workers.Length)
        {
            var workers = Workers;
            Array.Resize(ref workers, Table.Workers.Length);
            Workers = workers;
        }

        Oracle.Holds(Workers[worker.Entry.Index] is null, "a place has one process", worker.ToString());
        Workers[worker.Entry.Index] = worker;
    }

    /// <summary>A process is gone.</summary>
    public void Release(SimulatedWorker worker) => Workers[worker.Entry.Index] = null;

    private SimulatedConnection CreateWorker(PoolCore core, WorkerEntry entry)
    {
        Oracle.Holds(_generations.Of(entry.Generation) == entry.Generation, "a worker is started with the configuration of its generation", $"{entry.Generation}");
        return new SimulatedConnection(World, this, entry);
    }

    private void BreakRenewal(TimeSpan now, PoolActions actions)
    {
        foreach (var entry in Table.Workers)
        {
            if (Is(Mutation.KeepsTheOld) && entry.Due == RetirementReason.Generation)
            {
                Table.Due -= entry.State is WorkerState.Idle or WorkerState.Busy ? 1 : 0;
                entry.Due = RetirementReason.None;
            }
            else if (Is(Mutation.ReplacesAtOnce) && entry.State is WorkerState.Idle or WorkerState.Busy)
            {
                Retirement.SendAway(Table, entry, now, actions);
            }
        }
    }
}
