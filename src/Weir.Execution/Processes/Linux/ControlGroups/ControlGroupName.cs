using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>
/// The name of the group that holds one host's workers: the host's namespace of process ids, its id, and when it started. From the name
/// another host can determine whether that host still runs, and containers that share a tree do not touch each other's groups.
/// </summary>
internal readonly record struct ControlGroupName(string Namespace, int ProcessId, long Started)
{
    private const string Prefix = "weir";

    public static ControlGroupName OfThisProcess { get; } =
        new(NamespaceOfThisProcess(), Environment.ProcessId, ProcStat.Read("/proc/self")?.Started ?? 0);

    /// <summary>Whether the host that had this name is certainly gone.</summary>
    public bool IsOrphan =>
        Namespace == OfThisProcess.Namespace
        && ProcStat.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{ProcessId}"))?.Started != Started;

    public static ControlGroupName? Parse(string text) =>
        text.Split('-') is [Prefix, var space, var id, var started]
        && int.TryParse(id, NumberStyles.None, CultureInfo.InvariantCulture, out var processId)
        && long.TryParse(started, NumberStyles.None, CultureInfo.InvariantCulture, out var start)
            ? new ControlGroupName(space, processId, start)
            : null;

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Prefix}-{Namespace}-{ProcessId}-{Started}");

    // "pid:[4026531836]"
    private static string NamespaceOfThisProcess() =>
        new([.. (File.ResolveLinkTarget("/proc/self/ns/pid", returnFinalTarget: false)?.Name ?? "").Where(char.IsAsciiDigit)]);
}
