namespace Weir.Execution.Observation;

/// <summary>Where a call is, or where its time went.</summary>
internal enum RecordedPhase
{
    /// <summary>Its filters run, or what surrounds it is prepared.</summary>
    Filters,

    /// <summary>It waits for a worker, or for a thread of the lane.</summary>
    Queue,

    /// <summary>It runs in this process.</summary>
    Run,

    /// <summary>It was assigned to a worker: it runs there, or is the next one of that worker.</summary>
    Assigned,
}
