namespace Weir.Execution.Processes;

/// <summary>
/// The whole state of one pool: its places for workers, the calls that wait, and how far it is drained. Only
/// <see cref="PoolDecisions"/> changes it, under the pool's lock.
/// </summary>
internal sealed class PoolTable
{
    private readonly WorkerEntry[] _idle;

    public PoolTable(PoolSettings settings)
    {
        Settings = settings;
        Restarts = new RestartBudget(settings.RestartBudget);
        Workers = new WorkerEntry[settings.MaxWorkers];
        _idle = new WorkerEntry[settings.MaxWorkers];
        for (var i = 0; i < Workers.Length; i++)
        {
            Workers[i] = new WorkerEntry(i);
        }
    }

    public PoolSettings Settings { get; }

    /// <summary>One entry per worker of the maximum.</summary>
    public WorkerEntry[] Workers { get; }

    /// <summary>Calls with arguments, waiting for a worker. Bounded by <see cref="PoolSettings.Places"/>.</summary>
    public CallList Queue { get; } = new();

    /// <summary>Callers that wait for a place. Unbounded: each is an await of its own caller, who alone bounds it, and holds nothing else.</summary>
    public CallList Waiters { get; } = new();

    public RestartBudget Restarts { get; }

    /// <summary>Calls that have a place: being written, queued, or with a worker.</summary>
    public int InPool { get; set; }

    /// <summary>Places for workers that are not <see cref="WorkerState.Absent"/>; never above the maximum.</summary>
    public int Occupied { get; set; }

    public int Starting { get; set; }

    public int Busy { get; set; }

    public int IdleCount { get; private set; }

    public bool IsDraining { get; set; }

    public bool IsAborted { get; set; }

    public bool IsDrained { get; set; }

    /// <summary>Workers that serve, or will without anybody's doing.</summary>
    public int Live => IdleCount + Busy;

    /// <summary>Puts a worker on top: the one that was idle last is warm and goes first, the others age.</summary>
    public void PushIdle(WorkerEntry worker) => _idle[IdleCount++] = worker;

    public WorkerEntry PopIdle()
    {
        var worker = _idle[--IdleCount];
        _idle[IdleCount] = null!;
        return worker;
    }

    /// <summary>The worker that has been idle longest.</summary>
    public WorkerEntry OldestIdle => _idle[0];

    public void RemoveIdle(WorkerEntry worker)
    {
        var at = Array.IndexOf(_idle, worker, 0, IdleCount);
        Array.Copy(_idle, at + 1, _idle, at, IdleCount - at - 1);
        _idle[--IdleCount] = null!;
    }
}
