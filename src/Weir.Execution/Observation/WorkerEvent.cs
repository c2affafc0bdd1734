namespace Weir.Execution.Observation;

/// <summary>One event in the life of a worker. 40 bytes: the timeline keeps thousands of them.</summary>
/// <param name="Pool">The pool's name, which all events of the pool share.</param>
/// <param name="Serial">Which of the pool's processes it is, counted from 1.</param>
/// <param name="Ticks">When, in ticks of UTC.</param>
/// <param name="ProcessId">The worker's process id; 0 when it was not spawned.</param>
/// <param name="Generation">How often the pool had been reloaded when the worker was started.</param>
/// <param name="Kind">What happened.</param>
/// <param name="End">Why it is gone; <see cref="WorkerEnd.None"/> while it is not.</param>
internal readonly record struct WorkerEvent(string Pool, long Serial, long Ticks, int ProcessId, int Generation, WorkerEventKind Kind, WorkerEnd End)
{
    /// <summary>When.</summary>
    public DateTimeOffset At => new(Ticks, TimeSpan.Zero);

    /// <summary>The id of its crash report, if it has one.</summary>
    public string ReportId => $"{Pool}-{ProcessId}-{Serial}";

    /// <summary>Whether it was not asked to end, or had to be killed: such an end has a crash report, but for an error in Weir.</summary>
    public bool IsFailure => End >= WorkerEnd.StartFailed;
}
