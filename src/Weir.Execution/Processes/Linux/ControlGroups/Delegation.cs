using System.Text;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>
/// Whether a control group was delegated to this process, so that it may make groups in it. Each tree has one manager, mostly systemd,
/// and the right to write does not mean delegation: root has it everywhere.
/// </summary>
internal static unsafe class Delegation
{
    // The attributes that systemd sets on a group that it has delegated; the second is for users who may not read the first.
    private static readonly string[] Marks = ["trusted.delegate", "user.delegate"];

    public static bool Holds(ControlGroupHierarchy hierarchy, string folder) =>
        Environment.IsPrivilegedProcess
            ? Marks.Any(mark => IsMarked(folder, mark)) || (folder == hierarchy.Root && IsInNamespace(hierarchy))
            : IsWritable(folder) && IsWritable(folder + "/cgroup.procs");

    // Detects the root of a container's own tree: the machine's root has no cgroup.events in version 2, and has a release_agent in version 1.
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
