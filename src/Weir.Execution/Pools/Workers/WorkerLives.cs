namespace Weir.Execution.Pools.Workers;

/// <summary>The lifetimes of a pool's workers that are not over. Any thread. Bounded by the workers there may be, and those whose last callbacks run.</summary>
internal sealed class WorkerLives
{
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly List<Task> _lives = [];

    /// <summary>A worker was created.</summary>
    public WorkerLifetime Add(WorkerLifetime worker)
    {
        lock (_gate)
        {
            _lives.RemoveAll(static life => life.IsCompleted);
            _lives.Add(worker.Ended);
        }

        return worker;
    }

    /// <summary>Completes when every worker so far is reaped and its last callback has returned.</summary>
    public Task WhenEndedAsync()
    {
        lock (_gate)
        {
            return Task.WhenAll(_lives.ToArray());
        }
    }
}
