using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// The callers that wait until a pool is ready: all workers of the minimum ready, and none of an older generation that still accepts
/// calls. Under the pool's lock; the waiting code continues on other threads.
/// </summary>
internal sealed class ReadinessWaiters
{
    // As many as there are callers that wait; each removes its own.
    private readonly List<Waiter> _waiters = [];

    public int Count => _waiters.Count;

    /// <summary>Waits for the generation that is current now. Called without the lock.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public Task StandAsync(PoolCore pool, CancellationToken cancellationToken) => WaitAsync(pool, Begin(pool), cancellationToken);

    /// <summary>From now on workers are started with this configuration, and running workers are replaced; waits for that.</summary>
    /// <exception cref="WeirException">A worker cannot be started, or the pool drains.</exception>
    public Task RenewAsync<T>(PoolCore pool, PoolGenerations<T> generations, T workers, CancellationToken cancellationToken) =>
        WaitAsync(pool, Renew(pool, generations, workers), cancellationToken);

    /// <summary>The same as <see cref="StandAsync"/> for a caller who does not stop waiting before it is decided.</summary>
    public Task Begin(PoolCore pool)
    {
        Waiter waiter = null!;
        pool.Decide(_waiters, (table, waiters, _, _) => waiters.Add(waiter = new Waiter(table.Generation)));
        return waiter.Done.Task;
    }

    /// <summary>The same as <see cref="RenewAsync"/> for a caller who does not stop waiting before it is decided.</summary>
    public Task Renew<T>(PoolCore pool, PoolGenerations<T> generations, T workers)
    {
        // In the same event: the new workers may fail before a caller could begin to wait for them.
        Waiter waiter = null!;
        pool.Decide(generations, (table, generations, now, actions) =>
        {
            PoolDecisions.Renew(table, now, actions);
            generations.Begin(table, workers);
            _waiters.Add(waiter = new Waiter(table.Generation));
        });
        return waiter.Done.Task;
    }

    private async Task WaitAsync(PoolCore pool, Task done, CancellationToken cancellationToken)
    {
        try
        {
            await done.WaitAsync(cancellationToken);
        }
        finally
        {
            pool.Decide(_waiters, (_, waiters, _, _) => waiters.RemoveAll(waiter => waiter.Done.Task == done));
        }
    }

    /// <summary>Completes what is reached or cannot be reached any more. Called after every event.</summary>
    /// <param name="table">The pool.</param>
    /// <param name="now">The pool's time.</param>
    /// <param name="failure">Creates the reason why there is nothing more to wait for; called only then.</param>
    public void Check(PoolTable table, TimeSpan now, Func<Exception> failure)
    {
        for (var i = _waiters.Count - 1; i >= 0; i--)
        {
            var waiter = _waiters[i];
            if (IsReached(table, waiter.Generation))
            {
                waiter.Done.TrySetResult();
                _waiters.RemoveAt(i);
            }
            else if (table.IsDraining || table.Restarts.IsClosed(now))
            {
                waiter.Done.TrySetException(failure());
                _waiters.RemoveAt(i);
            }
        }
    }

    /// <summary>A worker of a generation reported why it cannot start: the next one would report the same.</summary>
    public void Fail(int generation, Exception failure)
    {
        for (var i = _waiters.Count - 1; i >= 0; i--)
        {
            if (_waiters[i].Generation <= generation)
            {
                _waiters[i].Done.TrySetException(failure);
                _waiters.RemoveAt(i);
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

    private sealed class Waiter(int generation)
    {
        public int Generation => generation;

        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
