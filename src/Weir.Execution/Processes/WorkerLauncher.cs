using Weir.Execution.Processes.Linux;

namespace Weir.Execution.Processes;

/// <summary>Chooses the launcher of this operating system.</summary>
internal static class WorkerLauncher
{
    /// <exception cref="PlatformNotSupportedException">There is none for it.</exception>
    public static IWorkerLauncher ForThisPlatform() =>
        OperatingSystem.IsLinux()
            ? new LinuxLauncher()
            : throw new PlatformNotSupportedException(
                $"{WeirCodes.PlatformNotSupported}: worker processes need Linux 5.4 or newer; this is {System.Runtime.InteropServices.RuntimeInformation.OSDescription}. "
                + "Set WeirOptions.RunInline to run isolated operations inside the host, without isolation.");
}
