using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// The callers that wait until a pool is ready: all workers of the minimum ready, and none of an older generation that still accepts
/// calls. Under the pool's lock; the waiting code continues on other threads.
/// </summary>
internal sealed class ReadinessWaiters
{
    // As many as there are callers that wait; each removes its own.
    private readonly List<Goal> _goals = [];

    public int Count => _goals.Count;

    /// <summary>Waits for the generation that is current now. Called without the lock.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public static Task StandAsync(PoolCore pool, CancellationToken cancellationToken)
    {
        Goal goal = null!;
        pool.Decide(pool.Goals._goals, (table, goals, _, _) => goals.Add(goal = new Goal(table.Generation)));
        return WaitAsync(pool, goal, cancellationToken);
    }

    /// <summary>From now on workers are started with this configuration, and running workers are replaced; waits for that.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public static Task RenewAsync(PoolCore pool, PoolDefinition workers, CancellationToken cancellationToken)
    {
        // In the same event: the new workers may fail before a caller could begin to wait for them.
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

    /// <summary>Completes what is reached or cannot be reached any more. Called after every event.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="failure">Creates the reason why there is nothing more to wait for; called only then.</param>
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

    /// <summary>A worker of a generation reported why it cannot start: the next one would report the same.</summary>
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
