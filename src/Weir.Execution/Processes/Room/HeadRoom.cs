namespace Weir.Execution.Processes;

/// <summary>How many more workers a host can bear: a function of figures, and the word for what bounds it.</summary>
/// <param name="Workers">How many more.</param>
/// <param name="Bound">What would be the first to run out, and what is known of it.</param>
internal readonly record struct HeadRoom(int Workers, string Bound)
{
    /// <summary>What a worker is reckoned with until some were measured: its runtime, and a little work.</summary>
    public const long UsualMemory = 32L << 20;

    // The rest is for those who grow, for the host, and for the file cache that everybody lives from.
    private const double MemoryShare = 0.8;

    // A worker has four threads idle, and its thread pool adds as many as it works on.
    private const int ProcessesPerWorker = 16;

    // Two sockets, two pipes, a pidfd, a page; while it starts also the worker's ends.
    private const int DescriptorsPerWorker = 12;

    // What the host itself may need meanwhile.
    private const int SpareProcesses = 64;
    private const int SpareDescriptors = 128;

    /// <summary>Nothing is known that would bound it.</summary>
    public static HeadRoom Endless { get; } = new(int.MaxValue, "nothing");

    /// <summary>What a host with these figures can bear.</summary>
    /// <param name="figures">What it has left.</param>
    /// <param name="memoryPerWorker">What a worker takes, in bytes: nearly the most that any of them does.</param>
    public static HeadRoom Of(in HostFigures figures, long memoryPerWorker)
    {
        var room = Endless;
        if (figures.FreeMemory is { } memory)
        {
            room = Least(room, (long)(memory * MemoryShare) / memoryPerWorker, $"memory: {memory >> 20} MB are free (MemAvailable, memory.max), a fifth of them is kept for the host, and a worker takes {memoryPerWorker >> 20} MB");
        }

        if (figures.FreeProcesses is { } processes)
        {
            room = Least(room, (processes - SpareProcesses) / ProcessesPerWorker, $"processes and threads: {processes} more can be started (pids.max, threads-max), {SpareProcesses} of them are kept for the host, and a worker is reckoned with {ProcessesPerWorker}");
        }

        if (figures.FreeDescriptors is { } descriptors)
        {
            room = Least(room, (descriptors - SpareDescriptors) / DescriptorsPerWorker, $"descriptors: the host can open {descriptors} more (ulimit -n), {SpareDescriptors} of them are kept for the host, and a worker is reckoned with {DescriptorsPerWorker}");
        }

        return room;
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

    private static HeadRoom Least(HeadRoom room, long workers, string bound) =>
        workers < room.Workers ? new HeadRoom((int)Math.Max(0, workers), bound) : room;
}
