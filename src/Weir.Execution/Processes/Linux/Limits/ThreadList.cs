using System.Globalization;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>
/// Every thread of a process. What is set for a process by its number holds for its first thread only, and the runtime
/// has started others before anybody can look.
/// </summary>
internal static class ThreadList
{
    // Nothing of the user's runs before HELLO, so the list settles at once; a program that starts threads for ever is not chased.
    private const int MostRounds = 64;

    /// <summary>
    /// Visits each thread once, also those that start meanwhile: a thread has its creator's settings, so when a round finds
    /// nobody new, every thread was visited or was started by one that had been.
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

    /// <summary>The threads there are at this moment; none of a process that is gone.</summary>
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
