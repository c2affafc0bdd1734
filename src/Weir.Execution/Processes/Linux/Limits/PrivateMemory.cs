using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>How much memory belongs to a process alone: not backed by a file, resident or swapped out. Shared pages of programs and files do not count.</summary>
internal static class PrivateMemory
{
    /// <returns><c>null</c> when the process is gone.</returns>
    public static long? Read(int pid) =>
        KernelFile.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/status")) is { } status ? Parse(status) : null;

    /// <param name="status">The text of <c>/proc/…/status</c>; that of a process which has ended has no such lines.</param>
    internal static long? Parse(string status)
    {
        long? sum = null;
        foreach (var line in status.AsSpan().EnumerateLines())
        {
            // "RssAnon:     1234 kB"
            if (line.StartsWith("RssAnon:", StringComparison.Ordinal) || line.StartsWith("VmSwap:", StringComparison.Ordinal))
            {
                var number = line[(line.IndexOf(':') + 1)..].TrimEnd("kB").Trim();
                sum = (sum ?? 0) + (long.Parse(number, CultureInfo.InvariantCulture) << 10);
            }
        }

        return sum;
    }
}
