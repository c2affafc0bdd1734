using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// What must hold for starts, computed independently from what happened to workers: after a number of workers that fail before a call, a
/// pause, then one attempt, and a longer pause if that worker fails too; the count is reset when a worker starts a call.
/// </summary>
internal sealed class RestartRules(World world, SimulatedPool pool)
{
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(10);

    // Bounded by the workers and the worker failures of the run.
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

    /// <summary>The host learns that a worker has exited or will exit.</summary>
    public void Dies(SimulatedWorker worker)
    {
        if (worker.Entry.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent)
        {
            _serving.Add(worker);
        }
    }

    /// <summary>It is certain that an exited worker has started all its calls up to this id, and no others.</summary>
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
        // Workers that the host killed do not count.
        if (worker.Entry.Killed == KillReason.None)
        {
            Count();
        }
    }

    public void Starts(WorkerEntry entry)
    {
        pool.Oracle.Holds(!IsClosed, "a pool whose workers fail before a call pauses", $"{entry.Index}#{entry.Serial} is started before {_openAt}");
        pool.Oracle.Holds(
            _pauses == 0 || pool.Table.Workers.Count(static worker => worker.State == WorkerState.Starting) == 1,
            "one worker is started after a pause", $"{entry.Index}#{entry.Serial} is not alone");
    }

    private void Count()
    {
        if (pool.IsAborted)
        {
            return;
        }

        // 1. Old pauses do not count any more.
        if (world.Now - _openAt > Window)
        {
            _pauses = 0;
        }

        _deaths.Enqueue(world.Now);
        while (world.Now - _deaths.Peek() > Window)
        {
            _deaths.Dequeue();
        }

        // 2. A pause lasts from one second to half a minute.
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
