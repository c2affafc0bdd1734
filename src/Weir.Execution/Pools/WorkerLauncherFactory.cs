using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Execution.Processes.Portable;

namespace Weir.Execution.Pools;

/// <summary>Chooses the launcher of this operating system.</summary>
internal static class WorkerLauncherFactory
{
    public static IWorkerLauncher ForThisPlatform() => OperatingSystem.IsLinux() ? new LinuxLauncher() : new PortableLauncher();
}
