using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>What must hold for those who wait until a pool is ready: they continue when it is, neither before nor later, or learn that it cannot be.</summary>
internal sealed class ReadinessRules(SimulatedPool pool)
{
    private const string Late = "who waits until a pool is ready learns what became of it";

    // The latest generation of which a worker said why it cannot start.
    private int _failed = -1;

    // Those who still wait, and for which generation. Bounded by the scenario.
    private readonly List<(Task Task, int Generation)> _waiters = [];

    /// <summary>A worker says why it cannot start.</summary>
    public void CannotStart(int generation) => _failed = Math.Max(_failed, generation);

    /// <summary>Someone has begun to wait.</summary>
    public void Waits(Task task, int generation)
    {
        _waiters.Add((task, generation));
        Check();
    }

    /// <summary>Called after every event.</summary>
    public void Check()
    {
        foreach (var (task, generation) in _waiters)
        {
            var isReady = IsReady(generation);
            pool.Oracle.Holds(task.IsCompleted || !isReady, Late, $"generation {generation} after '{pool.Event}'");
            pool.Oracle.Holds(!task.IsCompletedSuccessfully || isReady, "who waits until a pool is ready does not continue before", $"generation {generation} after '{pool.Event}'");
            pool.Oracle.Holds(
                !task.IsFaulted || pool.Table.IsDraining || pool.Oracle.Restarts.IsClosed || _failed >= generation, "who waits until a pool is ready fails only if it cannot be",
                $"generation {generation} after '{pool.Event}'");
        }

        _waiters.RemoveAll(static waiter => waiter.Task.IsCompleted);
    }

    /// <summary>Called when no event is left.</summary>
    public void Rests() => pool.Oracle.Holds(_waiters.Count == 0, Late, $"{_waiters.Count} still wait");

    private bool IsReady(int generation)
    {
        var serving = pool.Table.Workers.Where(static entry => entry.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent).ToArray();
        return serving.All(entry => entry.Generation >= generation) && serving.Count(static entry => entry.State != WorkerState.Silent) >= pool.Promised.MinWorkers;
    }
}
