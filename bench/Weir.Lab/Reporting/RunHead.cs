using System.Globalization;

namespace Weir.Lab.Reporting;

/// <summary>What stands above a run's tables: where, what, how exact.</summary>
internal static class RunHead
{
    public static string Text(RunReport report)
    {
        var machine = report.Machine;
        return string.Create(CultureInfo.InvariantCulture, $"""
            {machine.Cpu}, {machine.Cores} cores{(machine.VirtualMachine ? ", virtual machine" : "")}, {machine.MemoryBytes / 1e9:0.0} GB; {machine.Os}, kernel {machine.Kernel}, governor {machine.Governor}, sched_autogroup_enabled {machine.Autogroup ?? "not recorded"}
            {machine.Runtime}, SDK {machine.Sdk}, {(machine.ServerGc ? "server" : "workstation")} GC; load before {machine.LoadBefore:0.00}
            commit {report.Commit}; {report.Command}
            resolution {report.Resolution:P1}: two identical contenders differ by this much here{Busy(machine)}
            """);
    }

    // Other programs that run here affect every figure.
    private static string Busy(Measuring.Machine machine) => machine.LoadBefore > machine.Cores / 2.0
        ? "\nTHE MACHINE IS BUSY: do not trust what follows"
        : "";
}
