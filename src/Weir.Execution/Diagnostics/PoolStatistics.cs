using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Diagnostics;

/// <summary>The figures of a pool at one moment.</summary>
internal readonly record struct PoolStatistics
{
    /// <summary>Workers that have not sent READY yet.</summary>
    public int Starting { get; init; }

    /// <summary>Workers that wait for calls.</summary>
    public int Idle { get; init; }

    /// <summary>Workers that have calls.</summary>
    public int Busy { get; init; }

    /// <summary>Workers that get no more calls: they finish, shut down, do not respond, or are dead and not reaped.</summary>
    public int Exiting { get; init; }

    /// <summary>Calls that wait for a worker.</summary>
    public int Queued { get; init; }

    /// <summary>Callers that wait until the queue is no longer full.</summary>
    public int WaitingForCapacity { get; init; }

    /// <summary>Workers that were started so far.</summary>
    public long Started { get; init; }

    /// <summary>Calls that were retried so far, because their worker failed while it ran them.</summary>
    public long Retried { get; init; }

    public static PoolStatistics Of(PoolTable table) => new()
    {
        Starting = table.Starting,
        Idle = table.Idle.Count,
        Busy = table.Busy,
        Exiting = table.Occupied - table.Starting - table.Live,
        Queued = table.Queue.Count,
        WaitingForCapacity = table.Waiters.Count,
        Started = table.Spawned,
        Retried = table.Retried,
    };
}
