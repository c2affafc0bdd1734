using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Writes the bounds of one group into its files, and reads them back.</summary>
internal static class ControlGroupBounds
{
    // The kernel's own default: shares of time are given out anew every 100 ms.
    private const int PeriodMicroseconds = 100_000;

    /// <exception cref="LaunchException">A bound does not hold.</exception>
    public static void Apply(ControlGroupPlan plan, ControlGroupHome home, string folder)
    {
        foreach (var resource in home.Resources)
        {
            switch (resource)
            {
                case "memory" when plan.MemoryBytes is { } bytes:
                    ApplyMemory(home, folder, bytes / Environment.SystemPageSize * Environment.SystemPageSize);
                    break;
                case "pids" when plan.Processes is { } most:
                    Set(folder, "pids.max", Text(most), "ProcessLimit");
                    break;
                case "cpu" when plan.Cpus is { } cpus:
                    ApplyTime(home, folder, (long)(cpus * PeriodMicroseconds));
                    break;
            }
        }
    }

    // No memory.high: it slows a worker down instead of ending it, and its callers would wait without knowing why. Pages written
    // out to swap would only hide what it takes.
    private static void ApplyMemory(ControlGroupHome home, string folder, long bytes)
    {
        if (home.IsUnified)
        {
            Set(folder, "memory.max", Text(bytes), nameof(ILimitOptions.MemoryLimitBytes));
            SetIfThere(folder, "memory.swap.max", "0", nameof(ILimitOptions.MemoryLimitBytes));
            SetIfThere(folder, "memory.oom.group", "1", nameof(ILimitOptions.MemoryLimitBytes));
        }
        else
        {
            Set(folder, "memory.limit_in_bytes", Text(bytes), nameof(ILimitOptions.MemoryLimitBytes));
            SetIfThere(folder, "memory.memsw.limit_in_bytes", Text(bytes), nameof(ILimitOptions.MemoryLimitBytes));
        }
    }

    private static void ApplyTime(ControlGroupHome home, string folder, long quota)
    {
        if (home.IsUnified)
        {
            Set(folder, "cpu.max", $"{Text(quota)} {Text(PeriodMicroseconds)}", nameof(ILimitOptions.CpuLimit));
        }
        else
        {
            Set(folder, "cpu.cfs_period_us", Text(PeriodMicroseconds), nameof(ILimitOptions.CpuLimit));
            Set(folder, "cpu.cfs_quota_us", Text(quota), nameof(ILimitOptions.CpuLimit));
        }
    }

    private static void SetIfThere(string folder, string file, string value, string option)
    {
        if (File.Exists($"{folder}/{file}"))
        {
            Set(folder, file, value, option);
        }
    }

    private static void Set(string folder, string file, string value, string option)
    {
        var path = $"{folder}/{file}";
        if (KernelFile.Write(path, value) is { } refusal)
        {
            throw Refused(option, value, path, refusal);
        }

        if (KernelFile.Read(path) is var held && held != value)
        {
            throw Refused(option, value, path, $"it reads back as {held}");
        }
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static LaunchException Refused(string option, string value, string path, string why) =>
        new(WeirCodes.LimitNotApplied, $"{option} could not be applied: {value} to {path}: {why}.");
}
