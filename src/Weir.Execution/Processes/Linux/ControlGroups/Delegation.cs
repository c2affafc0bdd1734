using System.Text;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>
/// Whether a control group was given to this process to divide. The trees have one manager, mostly systemd, and the right to write
/// is not yet an invitation: root has it everywhere.
/// </summary>
internal static unsafe class Delegation
{
    // What systemd writes on a group that it has handed over; the second for those who may not read the first.
    private static readonly string[] Marks = ["trusted.delegate", "user.delegate"];

    public static bool Holds(ControlGroupHierarchy hierarchy, string folder) =>
        Environment.IsPrivilegedProcess
            ? Marks.Any(mark => IsMarked(folder, mark)) || (folder == hierarchy.Root && IsInNamespace(hierarchy))
            : IsWritable(folder) && IsWritable(folder + "/cgroup.procs");

    // The top of a container's own tree; the machine's own top has no events in version 2, and one file more in version 1.
    private static bool IsInNamespace(ControlGroupHierarchy hierarchy) =>
        hierarchy.IsUnified ? File.Exists(hierarchy.Root + "/cgroup.events") : !File.Exists(hierarchy.Root + "/release_agent");

    private static bool IsWritable(string path)
    {
        using var strings = new NativeStrings();
        return ControlCalls.Access(strings.Add(path), ControlCalls.MayWrite) == 0;
    }

    private static bool IsMarked(string folder, string mark)
    {
        const int Most = 8;
        var value = stackalloc byte[Most];
        using var strings = new NativeStrings();
        var length = ControlCalls.GetAttribute(strings.Add(folder), strings.Add(mark), value, Most);
        return length > 0 && Encoding.ASCII.GetString(value, (int)length) == "1";
    }
}
