using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Diagnostics;

/// <summary>A pool in numbers, at one moment.</summary>
internal readonly record struct PoolStatistics
{
    /// <summary>Workers on their way to READY.</summary>
    public int Starting { get; init; }

    /// <summary>Workers that wait for calls.</summary>
    public int Idle { get; init; }

    /// <summary>Workers that have calls.</summary>
    public int Busy { get; init; }

    /// <summary>Workers that get no more calls: they finish, leave, are silent, or are dead and not reaped.</summary>
    public int Ending { get; init; }

    /// <summary>Calls that wait for a worker.</summary>
    public int Queued { get; init; }

    /// <summary>Callers that wait for a place in the queue.</summary>
    public int WaitingForRoom { get; init; }

    /// <summary>Workers that were started so far.</summary>
    public long Started { get; init; }

    /// <summary>Calls that were run again so far, because their worker died of them.</summary>
    public long Retried { get; init; }

    public static PoolStatistics Of(PoolTable table) => new()
    {
        Starting = table.Starting,
        Idle = table.Idle.Count,
        Busy = table.Busy,
        Ending = table.Occupied - table.Starting - table.Live,
        Queued = table.Queue.Count,
        WaitingForRoom = table.Waiters.Count,
        Started = table.Spawned,
        Retried = table.Retried,
    };
}
