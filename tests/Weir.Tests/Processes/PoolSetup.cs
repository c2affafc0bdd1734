using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;

namespace Weir.Tests.Processes;

/// <summary>A pool's core with events from the test: each event happens at a given second and returns its actions, which are not carried out.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The core holds a timer that never fires, and nothing else.")]
internal sealed class PoolSetup : TimeProvider, IWorkerCapacity, IPoolObserver
{
    private readonly PoolCore _core;

    public PoolSetup(int min = 0, int max = 2, int queue = 3, int budget = 5, int starting = 8, double grace = 2, Func<PoolSettings, PoolSettings>? with = null)
    {
        var settings = new PoolSettings
        {
            MinWorkers = min,
            MaxWorkers = max,
            QueueLimit = queue,
            IdleTimeout = TimeSpan.FromSeconds(10),
            CancelGrace = TimeSpan.FromSeconds(grace),
            RestartBudget = budget,
            MostStarting = starting,
        };
        _core = new PoolCore(with?.Invoke(settings) ?? settings, this, this, (_, entry) => new IdleWorker(entry), this);
        Table = _core.Read(0, static (table, _) => table);
        Do((now, actions) => PoolDecisions.Open(Table, now, actions));
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public bool MeasuresWaits => false;

    public PoolTable Table { get; }

    /// <summary>In seconds.</summary>
    public double Now { get; set; }

    /// <summary>How many more workers the host has capacity for.</summary>
    public int Space { get; set; } = int.MaxValue;

    /// <summary>Whether workers publish their progress; otherwise they send STARTED.</summary>
    public bool HaveSharedMemory { get; init; }

    /// <summary>The time of the next tick, after expired state was removed.</summary>
    public TimeSpan? Foreseen
    {
        get
        {
            Tick();
            return PoolDecisions.NextTick(Table);
        }
    }

    public TimeSpan Time => TimeSpan.FromSeconds(Now);

    /// <summary>The actions of the last event.</summary>
    public List<PoolAction> Last { get; private set; } = [];

    public IEnumerable<PoolActionKind> LastKinds => Last.Select(action => action.Kind);

    public WorkerEntry this[int worker] => Table.Workers[worker];

    public List<PoolAction> Do(Action<TimeSpan, PoolActions> what)
    {
        var actions = _core.Apply(what, static (_, what, now, actions) => what(now, actions));
        return Last = [.. Enumerable.Range(0, actions.Count).Select(i => actions[i])];
    }

    /// <summary>A call that arrives with its arguments written.</summary>
    public CallEntry Call(bool waits = false, Action<CallEntry>? with = null)
    {
        CallEntry call = new PrintedCall();
        with?.Invoke(call);
        call.Admission = waits ? CallAdmission.Wait : call.Admission;
        Do((now, a) => PoolDecisions.Enter(Table, call, now, a));
        return call;
    }

    public void Arrive(CallEntry call, bool waits = false)
    {
        call.Admission = waits ? CallAdmission.Wait : call.Admission;
        Do((now, a) => PoolDecisions.Arrive(Table, call, now, a));
    }

    public void Submit(CallEntry call) => Do((now, a) => PoolDecisions.Submit(Table, call, now, a));

    public bool Leave(CallEntry call)
    {
        var left = false;
        Do((now, a) => left = PoolDecisions.Cancel(Table, call, now, a));
        return left;
    }

    public bool Ready(int worker)
    {
        var isWanted = false;
        Do((now, a) => isWanted = WorkerDecisions.Ready(Table, this[worker], HaveSharedMemory, now, a));
        return isWanted;
    }

    public void StartFailed(int worker, bool isDefinite = true) => Do((now, a) => WorkerDecisions.StartFailed(Table, this[worker], isDefinite, now, a));

    /// <summary>The worker starts the next of its calls, or all up to an id.</summary>
    public void Started(int worker, ulong? through = null) =>
        Do((now, a) => WorkerDecisions.Started(Table, this[worker], through ?? this[worker].StartedThrough + 1, now, now, a));

    /// <summary>The worker answers its first call, or those given.</summary>
    /// <returns>Whether the last answer completes its call.</returns>
    public bool Answered(int worker, params CallEntry[] calls)
    {
        Answer[] answers = calls.Length > 0 ? [.. calls.Select(call => new Answer(call.CallId))] : [new Answer(this[worker].Sent.First!.CallId)];
        Do((now, a) => Assert.Equal(answers.Length, WorkerDecisions.Answered(Table, this[worker], answers, default, now, a)));
        return answers[^1].IsOutcome;
    }

    /// <param name="worker">The index of the worker.</param>
    /// <param name="through">The last call that it had started; by default what the pool already knows.</param>
    /// <param name="fromOutside">Whether a signal ended it that the host did not send.</param>
    public void ChannelEnded(int worker, ulong? through = null, bool fromOutside = false)
    {
        this[worker].WasEndedFromOutside = fromOutside;
        Do((now, a) => WorkerDecisions.ChannelEnded(Table, this[worker], through ?? this[worker].StartedThrough, now, a));
    }

    public void Violated(int worker, ulong? through = null) =>
        Do((now, a) => WorkerDecisions.Violated(Table, this[worker], through ?? this[worker].StartedThrough, now, a));

    public void Reaped(int worker) => Do((now, a) => WorkerDecisions.Reaped(Table, this[worker], 0, new WorkerEntry(worker), now, a));

    public void Withdrawn(int worker, ulong first, ulong last)
    {
        this[worker].Withdrawn = (1, 0);
        Do((now, a) => WorkerDecisions.Withdrawn(Table, this[worker], first, last, now, a));
    }

    public void Ponged(int worker) => Do((now, a) => WorkerDecisions.Ponged(Table, this[worker], now, a));

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

    // ---- the ports of the core ----

    public override long GetTimestamp() => Time.Ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => NoTimer.Instance;

    int IWorkerCapacity.Reserve(int wanted)
    {
        var reserved = Math.Min(wanted, Space);
        Space -= reserved;
        return reserved;
    }

    void IWorkerCapacity.Release(int count) => Space += count;

    void IPoolObserver.Waited(ReadOnlySpan<TimeSpan> times)
    {
    }

    void IPoolObserver.CannotStart(int generation, FailedStart failure)
    {
    }

    void IPoolObserver.Decided(PoolTable table, TimeSpan now, FailedStart? lastFailure)
    {
    }

    void IPoolObserver.CallbackFailed(Exception failure, string work) => Assert.Fail($"{work}: {failure}");
}
