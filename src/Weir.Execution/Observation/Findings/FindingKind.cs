namespace Weir.Execution.Observation.Findings;

/// <summary>What is found.</summary>
internal enum FindingKind
{
    /// <summary>A pool cannot start workers.</summary>
    CannotStart,

    /// <summary>Workers of a pool fail again and again, or calls are in quarantine.</summary>
    WorkersFail,

    /// <summary>A pool, or the lane, rejects calls.</summary>
    Rejecting,

    /// <summary>Calls of an operation fail.</summary>
    Failing,

    /// <summary>Calls wait, because all workers are busy.</summary>
    Waiting,

    /// <summary>A call runs for long, or is cancelled and does not stop.</summary>
    LongCall,

    /// <summary>The thread pool is starved.</summary>
    Starved,

    /// <summary>An operation blocks threads of the thread pool.</summary>
    Blocks,

    /// <summary>The host has no capacity for the workers that a pool needs.</summary>
    Capacity,

    /// <summary>A worker is near its limit of memory, or workers of a pool are replaced again and again because of theirs.</summary>
    Memory,

    /// <summary>A pool drains or is reloaded, or a limit is not applied.</summary>
    State,

    /// <summary>What a part of the application found that the core does not know; <see cref="Finding.Name"/> says what it is.</summary>
    Part,
}
