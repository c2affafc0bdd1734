using System.Globalization;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>
/// Every thread of a process. A value that is set by the process id applies to the first thread only, and the runtime
/// has started others before the host can list them.
/// </summary>
internal static class ThreadList
{
    // No user code runs before HELLO, so the list is stable at once; with a program that starts threads without end it gives up after these.
    private const int MostRounds = 64;

    /// <summary>
    /// Visits each thread once, also those that start during the visit: a thread inherits its creator's settings, so when a round finds
    /// no new thread, every thread was visited or was started by one that had been visited.
    /// </summary>
    public static void Visit(int pid, Action<int> each)
    {
        var seen = new HashSet<int>();
        for (var round = 0; round < MostRounds; round++)
        {
            var found = false;
            foreach (var thread in Of(pid))
            {
                if (seen.Add(thread))
                {
                    found = true;
                    each(thread);
                }
            }

            if (!found)
            {
                return;
            }
        }
    }

    /// <summary>The current threads; none when the process is gone.</summary>
    public static List<int> Of(int pid)
    {
        try
        {
            return
            [
                .. Directory.EnumerateDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/task"))
                    .Select(static path => int.Parse(Path.GetFileName(path.AsSpan()), CultureInfo.InvariantCulture)),
            ];
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
