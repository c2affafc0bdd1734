using System.ComponentModel;
using System.Diagnostics;

namespace Weir.Execution.Processes.Portable;

/// <summary>The limits that one process can set for another on every operating system: a priority class, and mostly its processors. The rest is refused.</summary>
internal static class PortableLimits
{
    // As many as Process.ProcessorAffinity has bits.
    private const int MostProcessors = 64;

    /// <exception cref="LaunchException">The options request a limit that is not available here, and not best effort.</exception>
    public static WorkerLimits Prepare(ILimitOptions options)
    {
        var refusals = new List<string>();
        Refuse(options.MemoryLimitBytes is not null, "MemoryLimitBytes");
        Refuse(options.ProcessLimit is not null, "ProcessLimit");
        Refuse(options.CpuLimit is not null, "CpuLimit");
        Refuse(options.ControlGroup == ControlGroupUse.Always, "ControlGroup");
        var places = options.Processors is { } list && !OperatingSystem.IsMacOS() && list.All(static number => number < MostProcessors);
        Refuse(options.Processors is not null && !places, "Processors");
        if (refusals.Count > 0 && !options.BestEffort)
        {
            throw new LaunchException(WeirCodes.LimitNotApplied, string.Join(" ", refusals));
        }

        using var host = Process.GetCurrentProcess();
        return new WorkerLimits
        {
            PriorityClass = IsFavour(options.Priority, host.PriorityClass) ? null : options.Priority,
            Processors = places ? [.. options.Processors!.Distinct().Order()] : null,
            Unavailable = refusals,
            BestEffort = options.BestEffort,
        };

        void Refuse(bool isAsked, string option)
        {
            if (isAsked)
            {
                refusals.Add($"{option} could not be applied: this needs Linux. Remove it, or set BestEffort to run without it.");
            }
        }
    }

    /// <summary>Applies them to a worker before any frame is sent to it, and reads them back.</summary>
    /// <exception cref="LaunchException">One could not be applied, and best effort is not requested.</exception>
    public static AppliedLimits Apply(Process worker, WorkerLimits limits)
    {
        var missing = new List<string>(limits.Unavailable);
        return new AppliedLimits
        {
            Priority = limits.PriorityClass is { } priority && Holds("Priority", priority, one => worker.PriorityClass = one, () => worker.PriorityClass) ? priority : null,
            Processors = limits.Processors is { } processors && SetProcessors(processors) ? processors : null,
            Missing = missing,
        };

        // Prepare sets processors only where the operating system supports them.
        bool SetProcessors(IReadOnlyList<int> processors) =>
            Holds("Processors", (nint)processors.Aggregate(0L, static (mask, one) => mask | (1L << one)), mask => SetAffinity(worker, mask), () => GetAffinity(worker));

        bool Holds<T>(string option, T wanted, Action<T> set, Func<T> read)
        {
            string why;
            try
            {
                set(wanted);
                worker.Refresh();
                if (EqualityComparer<T>.Default.Equals(read(), wanted))
                {
                    return true;
                }

                why = $"it reads back as {read()}";
            }
            catch (Exception refused) when (refused is Win32Exception or InvalidOperationException)
            {
                why = refused.Message;
            }

            var message = $"{option} ({wanted}) could not be applied: {why}.";
            missing.Add(limits.BestEffort ? message : throw new LaunchException(WeirCodes.LimitNotApplied, message));
            return false;
        }
    }

    private static void SetAffinity(Process worker, nint mask)
    {
        if (OperatingSystem.IsWindows() || OperatingSystem.IsLinux())
        {
            worker.ProcessorAffinity = mask;
        }
    }

    private static nint GetAffinity(Process worker) =>
        OperatingSystem.IsWindows() || OperatingSystem.IsLinux() ? worker.ProcessorAffinity : 0;

    // A host below normal priority passes its own priority on to its workers, also where the options request a higher one up to normal:
    // that would need rights which the application did not ask for.
    private static bool IsFavour(ProcessPriorityClass wanted, ProcessPriorityClass host) =>
        Rank(wanted) > Rank(host) && Rank(wanted) <= Rank(ProcessPriorityClass.Normal);

    private static int Rank(ProcessPriorityClass priority) => priority switch
    {
        ProcessPriorityClass.Idle => 0,
        ProcessPriorityClass.BelowNormal => 1,
        ProcessPriorityClass.Normal => 2,
        ProcessPriorityClass.AboveNormal => 3,
        _ => 4,
    };
}
