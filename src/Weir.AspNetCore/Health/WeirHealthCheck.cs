using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Weir.AspNetCore.Health;

/// <summary>Reports whether the pools can start workers, whether they lose them again and again, and whether their queues and that of the lane have places. Starts nothing and calls nothing.</summary>
/// <param name="runtime">The pools and the lane.</param>
/// <param name="pools">The pools that are checked; empty for all.</param>
/// <param name="share">Which part of a queue may be in use.</param>
/// <param name="mostLost">How many workers a pool may lose in calls within a minute; <c>null</c> for any number.</param>
internal sealed class WeirHealthCheck(WeirRuntime runtime, IReadOnlyCollection<string> pools, double share, int? mostLost) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var all = runtime.Pools;
        var failed = new List<string>();
        var degraded = new List<string>();
        var figures = new Dictionary<string, object>(StringComparer.OrdinalIgnoreCase);
        foreach (var pool in all.Where(pool => pools.Count == 0 || pools.Contains(pool.Name, StringComparer.OrdinalIgnoreCase)))
        {
            Check(pool, failed, degraded);
            figures[pool.Name] = Describe(pool);
        }

        // While isolated operations run inline there are no pools.
        failed.AddRange(pools.Where(name => all.Count > 0 && !all.Any(pool => pool.Name.Equals(name, StringComparison.OrdinalIgnoreCase))).Select(static name => $"there is no pool '{name}'"));
        var lane = runtime.Lane;
        if (IsFull(lane.Queued, lane.QueueLimit))
        {
            degraded.Add($"the queue of the lane has {lane.Queued} of {lane.QueueLimit} calls");
        }

        // A pool may have any name.
        var data = new Dictionary<string, object>
        {
            ["pools"] = figures,
            ["lane"] = new Dictionary<string, object> { ["threads"] = lane.Threads, ["busy"] = lane.Busy, ["queued"] = lane.Queued, ["queueLimit"] = lane.QueueLimit },
        };
        var text = string.Join("; ", failed.Concat(degraded));
        return Task.FromResult(
            failed.Count > 0 ? new HealthCheckResult(context.Registration.FailureStatus, text, data: data)
            : degraded.Count > 0 ? HealthCheckResult.Degraded(text, data: data)
            : HealthCheckResult.Healthy(data: data));
    }

    private void Check(PoolSnapshot pool, List<string> failed, List<string> degraded)
    {
        if (pool.StartFailure is { } reason)
        {
            failed.Add($"pool '{pool.Name}' cannot start workers: {reason}");
        }
        else if (pool.LastStartFailure is { } failure)
        {
            // Not unhealthy: a host that gets no more calls because of it would start no worker any more, and never recover.
            degraded.Add($"pool '{pool.Name}' could not start its last worker: {failure}");
        }

        if (pool.WorkersLostInCalls > mostLost)
        {
            degraded.Add($"pool '{pool.Name}' lost {pool.WorkersLostInCalls} workers in calls within a minute, the last one by: {pool.LastLoss}");
        }

        if (pool.IsDraining)
        {
            failed.Add($"pool '{pool.Name}' is draining");
        }

        if (IsFull(pool.Queued, pool.QueueLimit))
        {
            degraded.Add($"the queue of pool '{pool.Name}' has {pool.Queued} of {pool.QueueLimit} calls");
        }

        if (pool.Quarantined > 0)
        {
            degraded.Add($"pool '{pool.Name}' rejects {pool.Quarantined} calls that made workers fail");
        }
    }

    private bool IsFull(int queued, int limit) => limit > 0 && queued >= limit * share;

    private static Dictionary<string, object> Describe(PoolSnapshot pool)
    {
        var data = new Dictionary<string, object>
        {
            ["workers"] = pool.Workers.Count,
            ["busy"] = pool.Workers.Count(static worker => worker.State == "busy"),
            ["minWorkers"] = pool.MinWorkers,
            ["maxWorkers"] = pool.MaxWorkers,
            ["queued"] = pool.Queued,
            ["queueLimit"] = pool.QueueLimit,
            ["quarantined"] = pool.Quarantined,
            ["workersLostInCalls"] = pool.WorkersLostInCalls,
        };
        if (pool.LastLoss is { } loss)
        {
            data["lastLoss"] = loss;
        }

        if (pool.LastStartFailure is { } failure)
        {
            data["lastStartFailure"] = failure;
        }

        if (pool.StartFailure is { } reason)
        {
            data["startFailure"] = reason;
        }

        return data;
    }
}
