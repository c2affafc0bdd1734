using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Capacity;

/// <summary>How many more workers a host can run, estimated from its figures, and what limits that number.</summary>
/// <param name="Workers">How many more.</param>
/// <param name="Limit">What would be exhausted first, and what is known of it.</param>
internal readonly record struct CapacityEstimate(int Workers, string Limit)
{
    /// <summary>The estimated memory of a worker in bytes until some were measured: its runtime, and a little work.</summary>
    public const long UsualMemory = 32L << 20;

    // The rest is for workers that grow, for the host, and for the file cache that all processes use.
    private const double MemoryShare = 0.8;

    // A worker has four threads idle, and its thread pool adds as many as it works on.
    private const int ProcessesPerWorker = 16;

    // Two sockets, two pipes, a pidfd, the shared memory; while it starts also the worker's ends.
    private const int DescriptorsPerWorker = 12;

    // What the host itself may need.
    private const int SpareProcesses = 64;
    private const int SpareDescriptors = 128;

    /// <summary>No limit is known.</summary>
    public static CapacityEstimate Unlimited { get; } = new(int.MaxValue, "nothing");

    /// <summary>Estimates what a host with these figures can run.</summary>
    /// <param name="figures">What it has left.</param>
    /// <param name="memoryPerWorker">What a worker takes, in bytes: nearly the most that any of them takes.</param>
    public static CapacityEstimate Of(in HostResources figures, long memoryPerWorker)
    {
        var estimate = Unlimited;
        if (figures.FreeMemory is { } memory)
        {
            estimate = Least(estimate, (long)(memory * MemoryShare) / memoryPerWorker, $"memory: {memory >> 20} MB are free (MemAvailable, memory.max), a fifth of them is kept for the host, and a worker takes {memoryPerWorker >> 20} MB");
        }

        if (figures.FreeProcesses is { } processes)
        {
            estimate = Least(estimate, (processes - SpareProcesses) / ProcessesPerWorker, $"processes and threads: {processes} more can be started (pids.max, threads-max), {SpareProcesses} of them are kept for the host, and a worker is counted as {ProcessesPerWorker}");
        }

        if (figures.FreeDescriptors is { } descriptors)
        {
            estimate = Least(estimate, (descriptors - SpareDescriptors) / DescriptorsPerWorker, $"descriptors: the host can open {descriptors} more (ulimit -n), {SpareDescriptors} of them are kept for the host, and a worker is counted as {DescriptorsPerWorker}");
        }

        return estimate;
    }

    /// <summary>Of the workers' memories the one that 95 of 100 do not exceed; the usual one where none is known, and never less than that.</summary>
    public static long MemoryPerWorker(List<long> workers)
    {
        if (workers.Count == 0)
        {
            return UsualMemory;
        }

        workers.Sort();
        return Math.Max(UsualMemory, workers[(int)Math.Ceiling(workers.Count * 0.95) - 1]);
    }

    private static CapacityEstimate Least(CapacityEstimate estimate, long workers, string limit) =>
        workers < estimate.Workers ? new CapacityEstimate((int)Math.Max(0, workers), limit) : estimate;
}
