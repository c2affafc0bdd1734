using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// Finds the descendants of one process through /proc and stops them. Best effort: a process whose parent has died
/// belongs to init and is not found; the kill of the process group reaches those that stayed in the group.
/// </summary>
internal static class Descendants
{
    // A fork bomb is followed only up to this number; the rest is left to the kill of the process group.
    private const int Most = 4096;

    /// <summary>Stops every descendant that can be found, and adds their pidfds. The process itself must be stopped already and must not be reaped during this time.</summary>
    public static void StopAndCollect(int pid, List<Descriptor> found)
    {
        // Bounded like the list: every process in this queue is also in the list.
        var parents = new Queue<int>([pid]);
        while (found.Count < Most && parents.TryDequeue(out var parent))
        {
            foreach (var child in ChildrenOf(parent))
            {
                // The number may belong to another process by now: only a child of this parent counts.
                if (Pidfd.TryOpen(child) is not { } pidfd)
                {
                    continue;
                }

                if (ParentOf(child) != parent)
                {
                    pidfd.Dispose();
                    continue;
                }

                Pidfd.Stop(pidfd);
                found.Add(pidfd);
                parents.Enqueue(child);
            }
        }
    }

    private static List<int> ChildrenOf(int pid)
    {
        var children = new List<int>();
        try
        {
            foreach (var task in Directory.EnumerateDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/task")))
            {
                // No children if the thread has ended since it was listed, or the kernel has no such file (CONFIG_PROC_CHILDREN).
                foreach (var word in (KernelFile.Read(task + "/children") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
                {
                    children.Add(int.Parse(word, CultureInfo.InvariantCulture));
                }
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // The process ended during the enumeration.
        }

        return children;
    }

    private static int ParentOf(int pid) => ProcStat.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}"))?.Parent ?? 0;
}
