using System.Globalization;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>One line of <c>/proc/…/stat</c>: a process or one of its threads.</summary>
/// <param name="State">R, S, D, T, Z, …</param>
/// <param name="Parent">The parent's process id.</param>
/// <param name="Group">The id of its process group.</param>
/// <param name="Nice">The nice level of this thread.</param>
/// <param name="Started">When it started, in clock ticks since the machine started: together with the id it identifies one process uniquely.</param>
internal readonly record struct ProcStat(char State, int Parent, int Group, int Nice, long Started)
{
    private const int FieldsNeeded = 20;

    /// <summary><c>null</c> when there is no such process or thread.</summary>
    public static ProcStat? Read(string folder) => KernelFile.Read(folder + "/stat") is { } line ? Parse(line) : null;

    // "pid (name) state ppid …": the name may contain any character, so count from its last parenthesis; proc(5) counts fields from 1, state is 3.
    internal static ProcStat? Parse(ReadOnlySpan<char> line)
    {
        // One more range takes the rest of the line.
        Span<Range> fields = stackalloc Range[FieldsNeeded + 1];
        var rest = line[(line.LastIndexOf(')') + 1)..];
        return rest.Length == line.Length || rest.Split(fields, ' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries) < FieldsNeeded
            ? null
            : new ProcStat(
                rest[fields[0]][0],
                int.Parse(rest[fields[1]], CultureInfo.InvariantCulture),
                int.Parse(rest[fields[2]], CultureInfo.InvariantCulture),
                int.Parse(rest[fields[16]], CultureInfo.InvariantCulture),
                long.Parse(rest[fields[19]], CultureInfo.InvariantCulture));
    }
}
