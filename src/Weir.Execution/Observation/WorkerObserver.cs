namespace Weir.Execution.Observation;

/// <summary>What is always kept of the workers of an application, because it is rare: their events, and the reports of those that failed. Any thread.</summary>
/// <param name="time">The clock.</param>
internal sealed class WorkerObserver(TimeProvider time)
{
    /// <summary>The crash reports.</summary>
    public ReportStore Reports { get; } = new();

    /// <summary>The events.</summary>
    public WorkerTimeline Timeline { get; } = new();

    /// <summary>Called after each event; <c>null</c> for nothing. Any thread; it must not block.</summary>
    public Action? Happened { get; set; }

    /// <summary>A process was spawned.</summary>
    public void Started(string pool, long serial, int generation, int processId) => Add(pool, serial, generation, processId, WorkerEventKind.Started, WorkerEnd.None);

    /// <summary>It serves calls.</summary>
    public void Ready(string pool, long serial, int generation, int processId) => Add(pool, serial, generation, processId, WorkerEventKind.Ready, WorkerEnd.None);

    /// <summary>It is gone. Called before the callers of the calls that were lost with it are notified, so that they find its report.</summary>
    /// <param name="pool">Its pool.</param>
    /// <param name="serial">Which of the pool's processes it is.</param>
    /// <param name="generation">How often the pool had been reloaded when it was started.</param>
    /// <param name="processId">Its process id; 0 when it was not spawned.</param>
    /// <param name="end">Why it is gone.</param>
    /// <param name="report">What is known of it; <c>null</c> when it exited as it was asked to.</param>
    public void Ended(string pool, long serial, int generation, int processId, WorkerEnd end, CrashReport? report)
    {
        if (report is not null)
        {
            Reports.Add(report);
        }

        Add(pool, serial, generation, processId, WorkerEventKind.Ended, end);
    }

    private void Add(string pool, long serial, int generation, int processId, WorkerEventKind kind, WorkerEnd end)
    {
        Timeline.Add(new WorkerEvent(pool, serial, time.GetUtcNow().Ticks, processId, generation, kind, end));
        Happened?.Invoke();
    }
}
