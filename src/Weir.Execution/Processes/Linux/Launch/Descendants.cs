using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// Finds the processes below one process through /proc and holds them still. Best effort: a process whose parent has died
/// belongs to init and is not found; the process group catches those that stayed in it.
/// </summary>
internal static class Descendants
{
    // A fork bomb is not chased to its end; its processes lose their group first.
    private const int Most = 4096;

    /// <summary>Stops every descendant that can be found, and adds their pidfds. The process itself must be stopped already and must not be reaped meanwhile.</summary>
    public static void StopAndCollect(int pid, List<Descriptor> found)
    {
        // Bounded as the list is: what waits here was found first.
        var parents = new Queue<int>([pid]);
        while (found.Count < Most && parents.TryDequeue(out var parent))
        {
            foreach (var child in ChildrenOf(parent))
            {
                // The number may have changed hands between the listing and the open: only a child of this parent counts.
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
                // None of a thread that ended while it was looked at, or where the kernel has no such file (CONFIG_PROC_CHILDREN).
                foreach (var word in (KernelFile.Read(task + "/children") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
                {
                    children.Add(int.Parse(word, CultureInfo.InvariantCulture));
                }
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // The process ended while it was looked at.
        }

        return children;
    }

    private static int ParentOf(int pid) => ProcStat.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}"))?.Parent ?? 0;
}
