using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>One mounted tree of control groups, and the group of this process in it.</summary>
/// <param name="IsUnified">Version 2: one tree for everything, and the only one that kills a group.</param>
/// <param name="Resources">The resources that a version 1 tree controls; empty for version 2, where each folder lists its own.</param>
/// <param name="Root">Where the tree is mounted.</param>
/// <param name="Folder">This process's own group.</param>
internal sealed record ControlGroupHierarchy(bool IsUnified, IReadOnlyList<string> Resources, string Root, string Folder)
{
    // The last result, cached: every pool reads it, and it hardly ever changes.
    private static volatile Sight _last = new("", "", []);

    /// <summary>The trees that this process sees; none where /proc or the trees are not mounted.</summary>
    public static IReadOnlyList<ControlGroupHierarchy> OfThisProcess()
    {
        var (mounts, membership, last) = (KernelFile.Read("/proc/self/mountinfo") ?? "", KernelFile.Read("/proc/self/cgroup") ?? "", _last);
        return (last.Mounts == mounts && last.Membership == membership ? last : _last = new(mounts, membership, Parse(mounts, membership))).Trees;
    }

    /// <param name="mounts"><c>/proc/self/mountinfo</c>.</param>
    /// <param name="membership"><c>/proc/self/cgroup</c>.</param>
    internal static List<ControlGroupHierarchy> Parse(string mounts, string membership)
    {
        // "number:resources:path"; version 2 is "0::path".
        var groups = membership.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split(':', 3)).Where(static line => line.Length == 3).ToArray();
        var found = new List<ControlGroupHierarchy>();
        foreach (var line in mounts.Split('\n'))
        {
            // "id parent device root mountpoint options … - type source options"
            if (!line.Contains(" - cgroup", StringComparison.Ordinal))
            {
                continue;
            }

            var halves = line.Split(" - ", 2);
            var (mount, kind) = (halves[0].Split(' '), halves[^1].Split(' '));
            if (halves.Length < 2 || mount.Length < 5 || kind.Length < 3 || kind[0] is not ("cgroup" or "cgroup2"))
            {
                continue;
            }

            var isUnified = kind[0] == "cgroup2";
            var options = kind[2].Split(',');
            var own = groups.FirstOrDefault(group => isUnified ? group[1].Length == 0 : group[1].Length > 0 && group[1].Split(',').All(name => options.Contains(name)));
            if (own is not null && Below(mount[3], own[2]) is { } path)
            {
                var root = Unescape(mount[4]);
                found.Add(new ControlGroupHierarchy(isUnified, isUnified ? [] : own[1].Split(','), root, path == "/" ? root : root + path));
            }
        }

        return found;
    }

    // The mount may show only a part of the tree, as in a container; a group above that part cannot be reached.
    private static string? Below(string mounted, string path) =>
        mounted == "/" ? (path.StartsWith("/..", StringComparison.Ordinal) ? null : path)
        : path == mounted ? "/"
        : path.StartsWith(mounted + "/", StringComparison.Ordinal) ? path[mounted.Length..]
        : null;

    // mountinfo writes spaces as octal numbers.
    private static string Unescape(string path) => path.Replace("\\040", " ", StringComparison.Ordinal);

    private sealed record Sight(string Mounts, string Membership, IReadOnlyList<ControlGroupHierarchy> Trees);
}
