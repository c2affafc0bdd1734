namespace Weir.Execution.Pools.Capacity;

/// <summary>
/// The memory limit of workers whose pools set none, where the memory of the host is bounded: without a limit one worker that leaks would take the
/// memory of the host too, and the kernel drops the pages of programs, over and over, long before it kills anything. All workers that may run
/// together are counted, because one operation that leaks may be called in all of them at once.
/// </summary>
/// <param name="BoundBytes">The memory that the host and its workers share: the tightest limit of the host's control groups.</param>
/// <param name="Workers">How many workers may run together, 1 or more.</param>
internal sealed record MemoryShare(long BoundBytes, int Workers)
{
    /// <summary>The least limit under which a runtime starts.</summary>
    public const long LeastLimitBytes = 128L << 20;

    /// <summary>What a .NET worker maps and does not use, mostly stacks of threads: RLIMIT_DATA counts it, the control group does not.</summary>
    public const long MappedBytes = 64L << 20;

    /// <summary>The memory that workers share, as far as it is known: it counts once, and not for each of them. In bytes, default 0.</summary>
    public long SharedBytes { get; init; }

    // A host with ASP.NET Core that serves a little has 80 to 100 MB.
    private const long LeastReserveBytes = 96L << 20;
    private const long Megabyte = 1L << 20;

    /// <summary>What is kept for the host: a quarter, at least 96 MB, at most half.</summary>
    public long ReserveBytes => Math.Min(BoundBytes / 2, Math.Max(BoundBytes / 4, LeastReserveBytes));

    /// <summary>The limit of each worker, in whole megabytes.</summary>
    public long LimitBytes => Math.Max(LeastLimitBytes, ((ShareBytes + MappedBytes) / Megabyte) * Megabyte);

    /// <summary>Whether all workers at their limits and the host fit together.</summary>
    public bool IsEnough => ShareBytes + MappedBytes >= LeastLimitBytes;

    /// <summary>How many workers would fit at the least limit; 1 or more.</summary>
    public long BearableWorkers => Math.Max(1, ForWorkers / (LeastLimitBytes - MappedBytes));

    private long ShareBytes => ForWorkers / Workers;

    private long ForWorkers => Math.Max(0, BoundBytes - ReserveBytes - SharedBytes);

    /// <summary>Whether one worker at a limit that a pool set leaves less for the host than is kept for it.</summary>
    public bool IsExceededBy(long limitBytes) => limitBytes - MappedBytes > ForWorkers;

    /// <param name="boundBytes"><c>null</c> where the memory of the host is not bounded.</param>
    /// <param name="workers">How many workers may run together.</param>
    /// <param name="sharedBytes">What they share, in bytes.</param>
    public static MemoryShare? Of(long? boundBytes, long workers, long sharedBytes = 0) =>
        boundBytes is { } bound ? new MemoryShare(bound, (int)Math.Clamp(workers, 1, int.MaxValue)) { SharedBytes = sharedBytes } : null;
}
