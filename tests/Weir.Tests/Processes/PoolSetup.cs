using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>A pool's table, driven by hand: every event at a given second, with the actions it asked for.</summary>
internal sealed class PoolSetup
{
    private readonly PoolActions _actions = new();

    public PoolSetup(int min = 0, int max = 2, int queue = 3, int budget = 5, int starting = 8, double grace = 2)
    {
        Table = new PoolTable(new PoolSettings
        {
            MinWorkers = min,
            MaxWorkers = max,
            QueueLimit = queue,
            IdleTimeout = TimeSpan.FromSeconds(10),
            CancelGrace = TimeSpan.FromSeconds(grace),
            RestartBudget = budget,
            MostStarting = starting,
        });
        Do((now, actions) => PoolDecisions.Open(Table, now, actions));
    }

    public PoolTable Table { get; }

    /// <summary>In seconds.</summary>
    public double Now { get; set; }

    public TimeSpan Time => TimeSpan.FromSeconds(Now);

    /// <summary>What the last event asked for.</summary>
    public List<PoolAction> Last { get; private set; } = [];

    public IEnumerable<PoolActionKind> LastKinds => Last.Select(action => action.Kind);

    public WorkerEntry this[int worker] => Table.Workers[worker];

    public List<PoolAction> Do(Action<TimeSpan, PoolActions> what)
    {
        _actions.Clear();
        what(Time, _actions);
        return Last = [.. Enumerable.Range(0, _actions.Count).Select(i => _actions[i])];
    }

    /// <summary>A call that came with its arguments.</summary>
    public CallEntry Call(bool waits = false)
    {
        var call = new CallEntry();
        var actions = Do((now, a) => PoolDecisions.Arrive(Table, call, waits, now, a));
        if (call.State == CallState.Admitted)
        {
            var submitted = Do((now, a) => PoolDecisions.Submit(Table, call, now, a));
            Last = [.. actions, .. submitted];
        }

        return call;
    }

    public void Submit(CallEntry call) => Do((now, a) => PoolDecisions.Submit(Table, call, now, a));

    public bool Leave(CallEntry call)
    {
        var left = false;
        Do((now, a) => left = PoolDecisions.Leave(Table, call, now, a));
        return left;
    }

    public bool Ready(int worker)
    {
        var isWanted = false;
        Do((now, a) => isWanted = WorkerDecisions.Ready(Table, this[worker], now, a));
        return isWanted;
    }

    public void StartFailed(int worker, bool isDefinite = true) => Do((now, a) => WorkerDecisions.StartFailed(Table, this[worker], isDefinite, now, a));

    public void Started(int worker) => Do((now, a) => WorkerDecisions.Started(Table, this[worker], now, a));

    public bool Answered(int worker)
    {
        var delivers = false;
        Do((now, a) => delivers = WorkerDecisions.Answered(Table, this[worker], now, a));
        return delivers;
    }

    public void ChannelEnded(int worker) => Do((now, a) => WorkerDecisions.ChannelEnded(Table, this[worker], now, a));

    public void Violated(int worker) => Do((now, a) => WorkerDecisions.Violated(Table, this[worker], now, a));

    public void Reaped(int worker) => Do((now, a) => WorkerDecisions.Reaped(Table, this[worker], now, a));

    public void Tick() => Do((now, a) => PoolDecisions.Tick(Table, now, a));

    public void Drain() => Do((now, a) => PoolDecisions.Drain(Table, now, a));

    public void Abort() => Do((now, a) => PoolDecisions.Abort(Table, now, a));

    /// <summary>Starts every worker of the maximum and lets each run a call.</summary>
    public CallEntry[] FillWorkers()
    {
        var calls = Enumerable.Range(0, Table.Settings.MaxWorkers).Select(_ => Call()).ToArray();
        for (var i = 0; i < Table.Settings.MaxWorkers; i++)
        {
            if (this[i].State == WorkerState.Starting)
            {
                Ready(i);
            }
        }

        for (var i = 0; i < Table.Settings.MaxWorkers; i++)
        {
            Started(i);
        }

        return calls;
    }
}
