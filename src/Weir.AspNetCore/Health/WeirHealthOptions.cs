namespace Weir;

/// <summary>The options of the health check of Weir's pools and its lane. Read when the check is registered.</summary>
public sealed class WeirHealthOptions
{
    /// <summary>The pools that are checked, by their names; case is ignored. Default empty: all. A name that no pool has makes the check unhealthy.</summary>
    public ICollection<string> Pools { get; } = [];

    /// <summary>
    /// Which part of a queue may be in use before its pool, or the lane, is degraded: above 0, at most 1. Default 1: while the queue is
    /// full. A queue with a limit of 0 never is.
    /// </summary>
    public double DegradedQueueShare { get; set; } = 1;

    /// <summary>
    /// How many workers a pool may lose in calls within a minute, whatever the calls are, before it is degraded. Default 3; zero or more, zero
    /// reports the first loss; <c>null</c> means no limit.
    /// </summary>
    public int? MaxLostWorkers { get; set; } = 3;
}
