using System.Globalization;
using Weir.Execution.Processes.Linux.ControlGroups;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// Whether the kernel has killed a worker because memory was short. It counts such kills by control group, without process ids: in the worker's
/// own group the count is the answer; in a group that the worker shares with the host, and on a machine without groups of memory, each kill that
/// is counted explains one worker that ended by SIGKILL. Any thread.
/// </summary>
/// <param name="count">Reads how many there were where workers without a group of their own are counted.</param>
internal sealed class OomKills(Func<long> count)
{
    private long _explained = count();

    /// <summary>Those of this process's workers. The count is taken with the first of them.</summary>
    public static OomKills OfThisHost { get; } = new(CountOfThisHost);

    /// <summary>Whether it was the kernel that ended a worker by SIGKILL. Asked once for each worker.</summary>
    /// <param name="ownGroups">The folders of its own control group, one in each tree; empty when it has none.</param>
    public bool Explain(IEnumerable<string> ownGroups)
    {
        foreach (var folder in ownGroups)
        {
            if (CountIn(folder) is { } own)
            {
                return own > 0;
            }
        }

        while (true)
        {
            var explained = Volatile.Read(ref _explained);
            if (explained >= count())
            {
                return false;
            }

            if (Interlocked.CompareExchange(ref _explained, explained + 1, explained) == explained)
            {
                return true;
            }
        }
    }

    /// <summary>How many processes of a group were killed: version 2, then version 1; <c>null</c> where the group does not count them.</summary>
    internal static long? CountIn(string folder) =>
        Count(KernelFile.Read($"{folder}/memory.events.local")) ?? Count(KernelFile.Read($"{folder}/memory.events")) ?? Count(KernelFile.Read($"{folder}/memory.oom_control"));

    // The kernel counts a kill in the group of the victim, also when the whole machine is short of memory: then the machine's count would add the
    // kills of other containers. A worker's own group without memory may lie beside the host's: it is counted in the group above.
    private static long CountOfThisHost()
    {
        long? total = null;
        foreach (var hierarchy in ControlGroupHierarchy.OfThisProcess())
        {
            var above = hierarchy.IsUnified && hierarchy.Folder != hierarchy.Root ? CountIn(Path.GetDirectoryName(hierarchy.Folder)!) : null;
            total = CountIn(hierarchy.Folder) is { } own ? (total ?? 0) + own + (above ?? 0) : total;
        }

        return total ?? Count(KernelFile.Read("/proc/vmstat")) ?? 0;
    }

    private static long? Count(string? text)
    {
        foreach (var line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith("oom_kill ", StringComparison.Ordinal))
            {
                return long.TryParse(line["oom_kill ".Length..], NumberStyles.None, CultureInfo.InvariantCulture, out var count) ? count : null;
            }
        }

        return null;
    }
}
