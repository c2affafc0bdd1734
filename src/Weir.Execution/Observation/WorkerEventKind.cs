namespace Weir.Execution.Observation;

/// <summary>What happened to a worker.</summary>
internal enum WorkerEventKind : byte
{
    /// <summary>Its process was spawned.</summary>
    Started,

    /// <summary>It serves calls.</summary>
    Ready,

    /// <summary>It is gone; <see cref="WorkerEvent.End"/> says why.</summary>
    Ended,
}
