using Weir.Execution.Processes.Linux;
using Weir.Execution.Processes.Portable;

namespace Weir.Execution.Processes;

/// <summary>Chooses the launcher of this operating system.</summary>
internal static class WorkerLauncher
{
    public static IWorkerLauncher ForThisPlatform() => OperatingSystem.IsLinux() ? new LinuxLauncher() : new PortableLauncher();
}
