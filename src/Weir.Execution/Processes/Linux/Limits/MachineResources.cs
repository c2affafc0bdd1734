using System.Globalization;
using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>What this machine, and the control groups of the host, have left. Any thread; reads a dozen small files.</summary>
internal sealed class MachineResources
{
    private const int OpenFiles = 7;

    // In percent of 10 s: at least one thread waited for a processor nearly all the time.
    private const double ShortOfProcessors = 75;

    private readonly IReadOnlyList<ControlGroupHierarchy> _hierarchies = ControlGroupHierarchy.OfThisProcess();

    public HostResources Read() => new()
    {
        FreeMemory = Least(Number(KernelFile.Read("/proc/meminfo"), "MemAvailable:") << 10, Groups("memory"), FreeMemory),
        FreeProcesses = Least(FreeProcessesOfMachine(), Groups("pids"), FreeProcesses),
        SharedProcessLimit = Least(null, Groups("pids"), static folder => Value(folder, "pids.max")),
        FreeDescriptors = FreeDescriptors(),
        IsShortOfProcessors = Pressure(KernelFile.Read("/proc/pressure/cpu")) >= ShortOfProcessors,
    };

    /// <summary>The number behind a word in a file of words and numbers.</summary>
    internal static long? Number(string? text, string word)
    {
        foreach (var line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith(word, StringComparison.Ordinal)
                && long.TryParse(line[word.Length..].TrimEnd("kB"), NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out var number))
            {
                return number;
            }
        }

        return null;
    }

    /// <summary>Percent of the last 10 s in which at least one thread waited; 0 where the kernel does not report it.</summary>
    internal static double Pressure(string? text)
    {
        // "some avg10=12.34 avg60=…"
        const string Start = "some avg10=";
        return text is not null && text.StartsWith(Start, StringComparison.Ordinal)
            && double.TryParse(text[Start.Length..].Split(' ')[0], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var percent)
            ? percent
            : 0;
    }

    /// <summary>
    /// The memory that this process shares with its workers: the tightest limit of its control groups; <c>null</c> where none is below the memory of
    /// the machine. Reads a few small files.
    /// </summary>
    public static long? MemoryBound()
    {
        var machine = Number(KernelFile.Read("/proc/meminfo"), "MemTotal:") << 10;
        var bound = Least(null, Groups(ControlGroupHierarchy.OfThisProcess(), "memory"), MemoryBound);
        return bound < (machine ?? long.MaxValue) ? bound : null;
    }

    /// <summary>The most memory of a group's members; <c>null</c> for no limit. Beyond <c>memory.high</c> the kernel delays them, longer and longer.</summary>
    internal static long? MemoryBound(string folder) => Least(
        Least(Value(folder, "memory.max"), Value(folder, "memory.high")),
        Least(Value(folder, "memory.limit_in_bytes"), Number(KernelFile.Read(folder + "/memory.stat"), "hierarchical_memory_limit ")));

    /// <summary>How much memory the members of a group can still allocate; <c>null</c> for no limit.</summary>
    internal static long? FreeMemory(string folder)
    {
        // Inactive file cache counts as used, but the kernel can drop it.
        var limit = MemoryBound(folder);
        var used = Value(folder, "memory.current") ?? Value(folder, "memory.usage_in_bytes");
        var statistics = KernelFile.Read(folder + "/memory.stat");
        var droppable = Number(statistics, "total_inactive_file ") ?? Number(statistics, "inactive_file ") ?? 0;
        return limit - (used - droppable);
    }

    /// <summary>How many processes and threads the members of a group can still start; <c>null</c> for no limit.</summary>
    internal static long? FreeProcesses(string folder) => Value(folder, "pids.max") - Value(folder, "pids.current");

    private IEnumerable<string> Groups(string resource) => Groups(_hierarchies, resource);

    // The limits of all parent groups apply too.
    private static IEnumerable<string> Groups(IReadOnlyList<ControlGroupHierarchy> hierarchies, string resource)
    {
        foreach (var hierarchy in hierarchies.Where(one => one.IsUnified || one.Resources.Contains(resource)))
        {
            for (var folder = hierarchy.Folder; folder.Length >= hierarchy.Root.Length; folder = Path.GetDirectoryName(folder)!)
            {
                yield return folder;
                if (folder == hierarchy.Root)
                {
                    break;
                }
            }
        }
    }

    // "0.1 0.2 0.3 running/all last"; every thread has its own id, and both limits count threads.
    private static long? FreeProcessesOfMachine() =>
        KernelFile.Read("/proc/loadavg")?.Split(' ') is [_, _, _, var counts, ..] && long.TryParse(counts.Split('/')[^1], NumberStyles.None, CultureInfo.InvariantCulture, out var all)
            ? Least(Value("/proc/sys/kernel", "threads-max"), Value("/proc/sys/kernel", "pid_max")) - all
            : null;

    private static unsafe long? FreeDescriptors()
    {
        LimitCalls.Limit limit;
        if (LimitCalls.Set(0, OpenFiles, null, &limit) != 0)
        {
            return null;
        }

        try
        {
            return (long)Math.Min(limit.Soft, long.MaxValue) - Directory.EnumerateFileSystemEntries("/proc/self/fd").Count();
        }
        catch (Exception failure) when (failure is DirectoryNotFoundException or UnauthorizedAccessException)
        {
            return null;
        }
        catch (IOException)
        {
            // Counting them needs one descriptor, and there is none.
            return 0;
        }
    }

    private static long? Value(string folder, string file) =>
        long.TryParse(KernelFile.Read($"{folder}/{file}"), NumberStyles.None, CultureInfo.InvariantCulture, out var value) ? value : null;

    private static long? Least(long? first, IEnumerable<string> folders, Func<string, long?> read)
    {
        foreach (var folder in folders)
        {
            first = Least(first, read(folder));
        }

        return first;
    }

    private static long? Least(long? first, long? second) => first is null || second < first ? second : first;
}
