using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>One group, in one tree.</summary>
internal static class ControlGroupFolder
{
    private const string KillFile = "/cgroup.kill";
    private const string Members = "/cgroup.procs";

    // Each round kills all members that were listed; against a fork bomb without pids.max it gives up after this number.
    private const int MostRounds = 64;

    /// <summary>Whether the kernel can kill the whole group at once: version 2, Linux 5.14.</summary>
    public static bool CanKill(string folder) => File.Exists(folder + KillFile);

    public static List<int> ReadMembers(string folder) =>
        [.. (KernelFile.Read(folder + Members) ?? "").Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => int.Parse(line, CultureInfo.InvariantCulture))];

    /// <summary>Moves a process in.</summary>
    /// <returns>Why the kernel refuses; <c>null</c> when it is a member.</returns>
    public static string? Enter(string folder, int pid) =>
        KernelFile.Write(folder + Members, pid.ToString(CultureInfo.InvariantCulture))
        ?? (ReadMembers(folder).Contains(pid) ? null : "the group does not list the process as a member");

    /// <summary>Ends all processes in it with SIGKILL; does not wait until they have ended.</summary>
    public static void Kill(string folder)
    {
        if (CanKill(folder))
        {
            KernelFile.Write(folder + KillFile, "1");
            return;
        }

        for (var round = 0; round < MostRounds; round++)
        {
            var members = ReadMembers(folder);
            if (members.Count == 0)
            {
                return;
            }

            foreach (var member in members)
            {
                KillMember(folder, member);
            }
        }
    }

    /// <returns><c>false</c> while a process is in it.</returns>
    public static bool TryRemove(string folder)
    {
        using var strings = new NativeStrings();
        unsafe
        {
            // Directory.Delete would find files in it and refuse: those are the kernel's, and rmdir ignores them.
            return ControlCalls.RemoveDirectory(strings.Add(folder)) == 0 || !Directory.Exists(folder);
        }
    }

    // The number may have been reused since it was listed: only a member whose pidfd is open and that is still listed is killed.
    private static void KillMember(string folder, int pid)
    {
        using var member = Pidfd.TryOpen(pid);
        if (member is not null && ReadMembers(folder).Contains(pid))
        {
            Pidfd.Kill(member);
        }
    }
}
