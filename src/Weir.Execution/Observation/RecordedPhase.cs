namespace Weir.Execution.Observation;

/// <summary>Where a call is, in the order in which a call passes them.</summary>
internal enum RecordedPhase
{
    /// <summary>Its request is read, and its arguments are bound.</summary>
    Bind,

    /// <summary>Its filters run, or what surrounds it is prepared.</summary>
    Filters,

    /// <summary>It waits for a worker, or for a thread of the lane.</summary>
    Queue,

    /// <summary>It runs in this process.</summary>
    Run,

    /// <summary>It was assigned to a worker: it runs there, or is the next one of that worker.</summary>
    Assigned,

    /// <summary>It has its outcome, and its response is written.</summary>
    Write,
}
