using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Writes the limits of one group into its files, and reads them back.</summary>
internal static class ControlGroupBounds
{
    // The kernel's default: the quota of processor time is renewed every 100 ms.
    private const int PeriodMicroseconds = 100_000;

    /// <exception cref="LaunchException">A limit could not be applied.</exception>
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

    // memory.high is not used: it slows a worker down instead of ending it, and its callers would wait without knowing why. Swap is
    // forbidden because it would only hide how much memory the worker uses.
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
