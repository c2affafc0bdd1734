using System.Runtime.InteropServices;

namespace Weir.Lab.Measuring;

/// <summary>The machine of a run, as far as it affects figures.</summary>
internal sealed record Machine(
    string Cpu,
    int Cores,
    string Os,
    string Kernel,
    long MemoryBytes,
    string Runtime,
    string Sdk,
    bool ServerGc,
    string Governor,
    bool VirtualMachine,
    double LoadBefore)
{
    /// <summary>The kernel's <c>sched_autogroup_enabled</c>: with 1, a priority counts only among the processes of one login session. Null in runs that did not record it.</summary>
    public string? Autogroup { get; init; }

    public static Machine Here()
    {
        var cpu = ProcFile.Text("/proc/cpuinfo");
        return new Machine(
            Cpu: TextField(cpu, "model name") ?? RuntimeInformation.ProcessArchitecture.ToString(),
            Cores: Environment.ProcessorCount,
            Os: TextField(ProcFile.Text("/etc/os-release").Replace('=', ':'), "PRETTY_NAME")?.Trim('"') ?? RuntimeInformation.OSDescription,
            Kernel: ProcFile.Text("/proc/sys/kernel/osrelease").Trim(),
            MemoryBytes: ProcFile.Field("/proc/meminfo", "MemTotal") * 1024,
            Runtime: RuntimeInformation.FrameworkDescription,
            Sdk: Tool.FirstLine("dotnet", "--version") ?? "none",
            ServerGc: System.Runtime.GCSettings.IsServerGC,
            // A governor that saves power makes short bursts look slow.
            Governor: ProcFile.Text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").Trim() is { Length: > 0 } governor ? governor : "not visible",
            // In a virtual machine other guests take time that no counter shows.
            VirtualMachine: TextField(cpu, "flags")?.Split(' ').Contains("hypervisor") == true,
            LoadBefore: Load())
        {
            Autogroup = ProcFile.Text("/proc/sys/kernel/sched_autogroup_enabled").Trim() is { Length: > 0 } autogroup ? autogroup : "not visible",
        };
    }

    /// <summary>How many programs wanted a processor during the last minute.</summary>
    public static double Load() =>
        double.TryParse(ProcFile.Text("/proc/loadavg").Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture, out var load) ? load : 0;

    private static string? TextField(string text, string name) =>
        text.Split('\n').FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))?.Split(':', 2).ElementAtOrDefault(1)?.Trim();
}
