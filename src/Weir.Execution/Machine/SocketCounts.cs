using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Machine;

/// <summary>TCP sockets of the machine, or of the container where it has a network of its own.</summary>
/// <param name="Open">Connections, and what listens for them.</param>
/// <param name="Closing">Ports that are kept for late packets of connections that have ended (TIME_WAIT).</param>
/// <param name="Dropped">Connections that were dropped since the machine was started because the queue of those that were not accepted yet was full: 512 in Kestrel.</param>
internal sealed record SocketCounts(long Open, long Closing, long Dropped)
{
    /// <summary>Reads three small files.</summary>
    /// <returns><c>null</c> where the operating system has none of them.</returns>
    public static SocketCounts? Read() => Parse(KernelFile.Read("/proc/net/sockstat"), KernelFile.Read("/proc/net/sockstat6"), KernelFile.Read("/proc/net/netstat"));

    /// <summary>Reads their texts; <c>null</c> for a file that is not there.</summary>
    internal static SocketCounts? Parse(string? sockets, string? sockets6, string? statistics) =>
        Words(sockets, "TCP:") is { Length: > 0 } tcp
            ? new SocketCounts(After(tcp, "inuse") + After(Words(sockets6, "TCP6:"), "inuse"), After(tcp, "tw"), DroppedIn(statistics))
            : null;

    // "TCP: inuse 12 orphan 0 tw 3 alloc 14 mem 1"
    private static long After(string[] words, string name) => Array.IndexOf(words, name) is >= 0 and var index && index + 1 < words.Length ? Number(words[index + 1]) : 0;

    // A line of names, and one of their numbers.
    private static long DroppedIn(string? statistics)
    {
        const string Group = "TcpExt:";
        var lines = Lines(statistics, Group).Select(static line => line.Split(' ')).ToArray();
        return lines is [var names, var numbers] && Array.IndexOf(names, "ListenOverflows") is >= 0 and var index && index < numbers.Length ? Number(numbers[index]) : 0;
    }

    private static string[] Words(string? text, string first) => Lines(text, first).FirstOrDefault()?.Split(' ') ?? [];

    private static IEnumerable<string> Lines(string? text, string first) => text?.Split('\n').Where(line => line.StartsWith(first, StringComparison.Ordinal)) ?? [];

    private static long Number(string text) => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0;
}
