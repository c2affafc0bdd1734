namespace Weir.Execution.Pipeline;

/// <summary>Why a call was not served.</summary>
internal enum UnservedReason
{
    /// <summary>The queue was full.</summary>
    QueueFull,

    /// <summary>Its deadline passed, while it waited or while it ran.</summary>
    Late,

    /// <summary>Calls like it made workers fail.</summary>
    Quarantined,

    /// <summary>The machine refused to start a worker.</summary>
    NoWorker,
}
