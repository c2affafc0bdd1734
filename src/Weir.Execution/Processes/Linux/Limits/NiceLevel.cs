using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>The nice level of a process, thread by thread.</summary>
internal static class NiceLevel
{
    private const int MostTries = 8;

    /// <summary>The host's own value.</summary>
    public static int OfThisProcess => ProcStat.Read("/proc/self")?.Nice ?? 0;

    /// <summary>Sets every thread of a process and reads every one back.</summary>
    /// <exception cref="LaunchException">It could not be applied.</exception>
    public static void Apply(int pid, int nice)
    {
        // The list may miss a thread while others start and end, and threads that it starts inherit its level: so all are set again.
        for (var tries = 1; ; tries++)
        {
            ThreadList.Visit(pid, thread => Set(thread, nice));
            if (FindOther(pid, nice) is not { } other)
            {
                return;
            }

            if (tries == MostTries)
            {
                throw Refused(nice, $"it reads back as {other}");
            }
        }
    }

    /// <summary>Tries on the calling thread, which is not to be used for anything afterwards.</summary>
    /// <exception cref="LaunchException">It could not be applied.</exception>
    public static void Probe(int nice)
    {
        Set(0, nice);
        if (ReadOther("/proc/thread-self", nice) is { } other)
        {
            throw Refused(nice, $"it reads back as {other}");
        }
    }

    private static void Set(int thread, int nice)
    {
        // A thread that has ended since it was listed needs no priority.
        if (ControlCalls.SetPriority(ControlCalls.OneThread, thread, nice) != 0 && Errno.Last != Errno.NoSuchProcess)
        {
            throw Refused(nice, Errno.Describe(Errno.Last));
        }
    }

    private static int? FindOther(int pid, int nice)
    {
        int? other = null;
        ThreadList.Visit(pid, thread => other ??= ReadOther(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/task/{thread}"), nice));
        return other;
    }

    private static int? ReadOther(string folder, int nice) => ProcStat.Read(folder) is { } stat && stat.Nice != nice ? stat.Nice : null;

    private static LaunchException Refused(int nice, string why) => new(
        WeirCodes.LimitNotApplied,
        $"Priority (nice {nice}) could not be applied: {why}. A level above the host's own needs CAP_SYS_NICE or RLIMIT_NICE: choose a lower Priority, or grant the host one of the two.");
}
