using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>Whether the kernel has killed processes because memory was short: in a worker's own control group, or anywhere on this machine. Any thread.</summary>
internal static class OomKills
{
    private static long _seen = OnThisMachine();

    /// <summary>Whether this happened in this group.</summary>
    public static bool HappenedIn(string controlGroup) =>
        Count(KernelFile.Read($"{controlGroup}/memory.events")) > 0 || Count(KernelFile.Read($"{controlGroup}/memory.oom_control")) > 0;

    /// <summary>Takes the count before the first worker is started.</summary>
    public static void Begin() => _ = Volatile.Read(ref _seen);

    /// <summary>Whether this happened on this machine since the last query, to any process: the kernel has only a count, without process ids.</summary>
    public static bool HappenedSince()
    {
        var now = OnThisMachine();
        return Interlocked.Exchange(ref _seen, now) < now;
    }

    private static long OnThisMachine() => Count(KernelFile.Read("/proc/vmstat"));

    private static long Count(string? text)
    {
        foreach (var line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith("oom_kill ", StringComparison.Ordinal))
            {
                return long.TryParse(line["oom_kill ".Length..], NumberStyles.None, CultureInfo.InvariantCulture, out var count) ? count : 0;
            }
        }

        return 0;
    }
}
