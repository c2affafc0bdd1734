using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Pools.Capacity;

/// <summary>The memory that the host shares with its workers, and what the log says about it when the pools start.</summary>
internal static class HostMemory
{
    /// <summary>The tightest limit of the host's control groups in bytes; <c>null</c> where there is none. Reads a few small files.</summary>
    public static long? Bound() => OperatingSystem.IsLinux() ? MachineResources.MemoryBound() : null;

    /// <summary>The limit of a worker whose pool sets none; <c>null</c> for no limit. Never above the host's own, which a worker cannot exceed.</summary>
    public static long? LimitOf(MemoryShare? share) => share is null ? null : Math.Min(share.LimitBytes, ResourceLimit.MostMemory() ?? long.MaxValue);

    /// <summary>Logs which limit was derived, and what does not fit.</summary>
    /// <param name="logger">Receives it.</param>
    /// <param name="share"><c>null</c> where the memory of the host is not bounded: nothing is logged.</param>
    /// <param name="pools">The pools that start.</param>
    public static void Report(ILogger logger, MemoryShare? share, IEnumerable<WorkerPool> pools)
    {
        if (share is null)
        {
            return;
        }

        var ordered = pools.OrderBy(static pool => pool.Name, StringComparer.OrdinalIgnoreCase).ToArray();
        if (ordered.Where(static pool => !pool.Options.IsMemoryLimitSet).ToArray() is [var first, ..] derived)
        {
            PoolLog.MemoryLimitDerived(
                logger, Megabytes(share.BoundBytes), string.Join(", ", derived.Select(static pool => pool.Name)), Megabytes(first.Options.MemoryLimitBytes ?? 0), Megabytes(share.ReserveBytes), share.Workers);
            if (!share.IsEnough)
            {
                PoolLog.WorkersExceedMemory(logger, share.Workers, Megabytes(share.BoundBytes), share.BearableWorkers);
            }
        }

        foreach (var pool in ordered)
        {
            if (pool.Options is { IsMemoryLimitSet: true, MemoryLimitBytes: { } limit } && share.IsExceededBy(limit))
            {
                PoolLog.MemoryLimitAboveBound(
                    logger, pool.Name, Megabytes(limit), Megabytes(share.BoundBytes), Megabytes(Math.Max(MemoryShare.LeastLimitBytes, share.BoundBytes - share.ReserveBytes + MemoryShare.MappedBytes)));
            }
        }
    }

    /// <summary>Logs where the files that pools share are longer than what is left: their workers will not start. Reads nothing where no pool shares one.</summary>
    /// <param name="logger">Receives it.</param>
    /// <param name="pools">The pools that start.</param>
    /// <param name="freeMemory">Reads what is left.</param>
    public static void ReportShared(ILogger logger, IEnumerable<(string Name, PoolOptions Options)> pools, Func<long?> freeMemory)
    {
        var sharing = pools.Where(static pool => pool.Options.SharedDataSources.Count > 0).OrderBy(static pool => pool.Name, StringComparer.OrdinalIgnoreCase).ToArray();
        if (sharing.Length > 0 && SharedDataCheck.KnownBytes(sharing.Select(static pool => pool.Options)) is > 0 and var bytes && freeMemory() is { } free && bytes > free)
        {
            PoolLog.SharedDataExceedsMemory(logger, string.Join(", ", sharing.Select(static pool => pool.Name)), Megabytes(bytes), Megabytes(free));
        }
    }

    private static long Megabytes(long bytes) => bytes >> 20;
}
