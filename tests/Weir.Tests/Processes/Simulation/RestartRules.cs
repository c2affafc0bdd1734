using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// What must hold of starts, reckoned anew from what happened to workers: so many that die before they did anything, then a
/// pause, then one that tries, and a longer pause if that one dies as well; all is forgotten when one starts a call.
/// </summary>
internal sealed class RestartRules(World world, SimulatedPool pool)
{
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(10);

    // Bounded by the workers and the deaths of the run.
    private readonly Dictionary<SimulatedWorker, ulong> _known = [];
    private readonly HashSet<SimulatedWorker> _serving = [];
    private readonly Queue<TimeSpan> _deaths = new();
    private TimeSpan _openAt;
    private int _pauses;

    public bool IsClosed => world.Now < _openAt;

    /// <summary>The host learns that a worker has started all its calls up to this id.</summary>
    public void Hears(SimulatedWorker worker, ulong through)
    {
        if (through > _known.GetValueOrDefault(worker))
        {
            _known[worker] = through;
            Forget();
        }
    }

    /// <summary>The host learns that a worker is gone, or as good as.</summary>
    public void Dies(SimulatedWorker worker)
    {
        if (worker.Entry.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent)
        {
            _serving.Add(worker);
        }
    }

    /// <summary>It is certain what a worker that is gone has started, up to this id.</summary>
    public void IsDead(SimulatedWorker worker, ulong through)
    {
        Hears(worker, through);
        if (_serving.Remove(worker) && _known.GetValueOrDefault(worker) == 0)
        {
            Count();
        }
    }

    /// <summary>A worker did not become ready.</summary>
    public void FailsToStart(SimulatedWorker worker)
    {
        // Those whom the host gave up are nobody's fault.
        if (worker.Entry.Killed == KillReason.None)
        {
            Count();
        }
    }

    public void Starts(WorkerEntry entry)
    {
        pool.Oracle.Holds(!IsClosed, "a pool whose workers die at once pauses", $"{entry.Index}#{entry.Serial} is started before {_openAt}");
        pool.Oracle.Holds(
            _pauses == 0 || pool.Table.Workers.Count(static worker => worker.State == WorkerState.Starting) == 1,
            "one worker tries after a pause", $"{entry.Index}#{entry.Serial} is not alone");
    }

    private void Count()
    {
        if (pool.IsAborted)
        {
            return;
        }

        // 1. What is long over counts no more.
        if (world.Now - _openAt > Window)
        {
            _pauses = 0;
        }

        _deaths.Enqueue(world.Now);
        while (world.Now - _deaths.Peek() > Window)
        {
            _deaths.Dequeue();
        }

        // 2. From one second to half a minute.
        if (_pauses > 0 || _deaths.Count >= pool.Promised.RestartBudget)
        {
            _openAt = world.Now + TimeSpan.FromSeconds(Math.Min(30, Math.Pow(2, _pauses)));
            _pauses++;
        }
    }

    private void Forget()
    {
        _deaths.Clear();
        _pauses = 0;
        _openAt = default;
    }
}
