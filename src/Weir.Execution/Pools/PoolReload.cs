namespace Weir.Execution.Pools;

/// <summary>Checks what a reload may change: all options of the workers themselves and the size of the pool, but none of the other options by which the pool uses them.</summary>
internal static class PoolReload
{
    // All waiting calls and all running workers depend on these.
    private static readonly (string Name, Func<PoolOptions, object?> Value)[] Fixed =
    [
        (nameof(PoolOptions.StandbyWorkers), static options => options.StandbyWorkers),
        (nameof(PoolOptions.CancelGrace), static options => options.CancelGrace),
        (nameof(PoolOptions.RestartBudget), static options => options.RestartBudget),
        (nameof(PoolOptions.Concurrency), static options => options.Concurrency),
        (nameof(PoolOptions.MaxCallsPerWorker), static options => options.MaxCallsPerWorker),
        (nameof(PoolOptions.MaxWorkerAge), static options => options.MaxWorkerAge),
        (nameof(PoolOptions.MemorySoftLimitBytes), static options => options.MemorySoftLimitBytes),
        (nameof(PoolOptions.MaxRetries), static options => options.MaxRetries),
        (nameof(PoolOptions.QuarantineKills), static options => options.QuarantineKills),
        (nameof(PoolOptions.QuarantineTime), static options => options.QuarantineTime),
        (nameof(PoolOptions.SilenceTimeout), static options => options.SilenceTimeout),
        (nameof(PoolOptions.PayloadLimitBytes), static options => options.PayloadLimitBytes),
        (nameof(PoolOptions.StallTimeout), static options => options.StallTimeout),
        (nameof(PoolOptions.SendsCaller), static options => options.SendsCaller),

        // A reload may replace a program by another one, but not add or remove it.
        (nameof(PoolOptions.Command), static options => options.Command is null ? "null" : "a program"),
    ];

    /// <summary>What a pool changes while it runs, without a new worker.</summary>
    public static IReadOnlyList<string> SizeNames { get; } =
        [nameof(PoolOptions.MinWorkers), nameof(PoolOptions.MaxWorkers), nameof(PoolOptions.QueueLimit), nameof(PoolOptions.IdleTimeout)];

    /// <summary>Rejects a change of anything but the size.</summary>
    /// <exception cref="InvalidOperationException">It names the option (WEIR3002).</exception>
    public static void CheckSizeOnly(string pool, PoolOptions current, PoolOptions next)
    {
        Check(pool, current, next);
        if (next.NamesChangedSince(current).FirstOrDefault(static name => !SizeNames.Contains(name)) is { } name)
        {
            throw new InvalidOperationException(
                $"{name} of pool '{pool}' cannot be changed by {nameof(WorkerPool.ResizeAsync)}, which changes {string.Join(", ", SizeNames)} and no worker: use {nameof(WorkerPool.ReloadAsync)}. See {WeirCodes.InvalidOptions}.");
        }
    }

    public static IEnumerable<string> FixedNames => Fixed.Select(static option => option.Name);

    /// <summary>Rejects a change that cannot be applied to a running pool.</summary>
    /// <exception cref="InvalidOperationException">It names the option (WEIR3002).</exception>
    public static void Check(string pool, PoolOptions current, PoolOptions next)
    {
        foreach (var (name, value) in Fixed)
        {
            if (!Equals(value(current), value(next)))
            {
                throw new InvalidOperationException(
                    $"{name} of pool '{pool}' is {value(current)}, and a reload cannot make it {value(next)}: it belongs to the pool and not to its workers. Restart the application for that. See {WeirCodes.InvalidOptions}.");
            }
        }
    }
}
