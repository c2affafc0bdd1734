using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// Those who wait until a pool stands: all workers of the minimum ready, and none of an older generation that still takes calls.
/// Under the pool's lock; who waits goes on elsewhere.
/// </summary>
internal sealed class ReadinessWaiters
{
    // As many as there are callers who wait; each takes its own out again.
    private readonly List<Goal> _goals = [];

    public int Count => _goals.Count;

    /// <summary>Waits for the generation that is current now. Not under the lock.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public static Task StandAsync(PoolCore pool, CancellationToken cancellationToken)
    {
        Goal goal = null!;
        pool.Decide(pool.Goals._goals, (table, goals, _, _) => goals.Add(goal = new Goal(table.Generation)));
        return WaitAsync(pool, goal, cancellationToken);
    }

    /// <summary>From now on workers are started as this says, and those that live are replaced; waits for that.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public static Task RenewAsync(PoolCore pool, PoolDefinition workers, CancellationToken cancellationToken)
    {
        // In the same event: the new workers may fail before anybody could begin to wait for them.
        Goal goal = null!;
        pool.Decide(pool, (table, pool, now, actions) =>
        {
            PoolDecisions.Renew(table, now, actions);
            pool.Generations.Begin(table, workers);
            pool.Goals._goals.Add(goal = new Goal(table.Generation));
        });
        return WaitAsync(pool, goal, cancellationToken);
    }

    private static async Task WaitAsync(PoolCore pool, Goal goal, CancellationToken cancellationToken)
    {
        try
        {
            await goal.Done.Task.WaitAsync(cancellationToken);
        }
        finally
        {
            pool.Decide(pool.Goals._goals, (_, goals, _, _) => goals.Remove(goal));
        }
    }

    /// <summary>After every event.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="failure">Why there is nothing more to wait for, asked for only then.</param>
    public void Look(PoolTable table, TimeSpan now, Func<Exception> failure)
    {
        for (var i = _goals.Count - 1; i >= 0; i--)
        {
            var goal = _goals[i];
            if (IsReached(table, goal.Generation))
            {
                goal.Done.TrySetResult();
                _goals.RemoveAt(i);
            }
            else if (table.IsDraining || table.Restarts.IsClosed(now))
            {
                goal.Done.TrySetException(failure());
                _goals.RemoveAt(i);
            }
        }
    }

    /// <summary>A worker of a generation said why it cannot start: the next one would say the same.</summary>
    public void Fail(int generation, Exception failure)
    {
        for (var i = _goals.Count - 1; i >= 0; i--)
        {
            if (_goals[i].Generation <= generation)
            {
                _goals[i].Done.TrySetException(failure);
                _goals.RemoveAt(i);
            }
        }
    }

    private static bool IsReached(PoolTable table, int generation)
    {
        var current = 0;
        foreach (var worker in table.Workers)
        {
            if (worker.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Silent)
            {
                if (worker.Generation < generation)
                {
                    return false;
                }

                current += worker.State == WorkerState.Silent ? 0 : 1;
            }
        }

        return current >= table.Settings.MinWorkers;
    }

    private sealed class Goal(int generation)
    {
        public int Generation => generation;

        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
