using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>How much memory belongs to a process alone: not backed by a file, resident or swapped out. Shared pages of programs and files do not count.</summary>
internal static class PrivateMemory
{
    /// <returns><c>null</c> when the process is gone.</returns>
    public static long? Read(int pid) =>
        KernelFile.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/status")) is { } status ? Parse(status) : null;

    /// <summary>The same, with what RLIMIT_DATA counts.</summary>
    /// <returns><c>null</c> when the process is gone.</returns>
    public static MemoryUse? ReadUse(int pid) =>
        KernelFile.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/status")) is { } status ? ParseUse(status) : null;

    /// <param name="status">As of <see cref="Parse"/>.</param>
    internal static MemoryUse? ParseUse(string status) => Parse(status) is { } own && Sum(status, "VmData:", "VmData:") is { } data ? new MemoryUse(own, data) : null;

    /// <param name="status">The text of <c>/proc/…/status</c>; that of a process which has ended has no such lines.</param>
    internal static long? Parse(string status) => Sum(status, "RssAnon:", "VmSwap:");

    // Of one line or two; null where neither is there.
    private static long? Sum(string status, string name, string other)
    {
        long? sum = null;
        foreach (var line in status.AsSpan().EnumerateLines())
        {
            // "RssAnon:     1234 kB"
            if (line.StartsWith(name, StringComparison.Ordinal) || line.StartsWith(other, StringComparison.Ordinal))
            {
                var number = line[(line.IndexOf(':') + 1)..].TrimEnd("kB").Trim();
                sum = (sum ?? 0) + (long.Parse(number, CultureInfo.InvariantCulture) << 10);
            }
        }

        return sum;
    }
}
