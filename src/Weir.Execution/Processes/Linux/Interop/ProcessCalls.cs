using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Calls that end, watch and reap exactly one child process.</summary>
internal static unsafe partial class ProcessCalls
{
    public const int Kill = 9;
    public const int Stop = 19;

    // The same numbers on every architecture.
    public const int PidfdOpen = 434;
    public const int PidfdSendSignal = 424;

    /// <summary>Linux 6.9: the signal goes to the whole group of the process that the pidfd identifies.</summary>
    public const uint ToProcessGroup = 4;

    public const int ByPid = 1;
    public const int ByPidfd = 3;
    public const int NoHang = 1;
    public const int Exited = 4;
    public const int KeepWaitable = 0x01000000;

    // siginfo_t on every 64-bit Linux .NET runs on.
    public const int InfoSize = 128;
    public const int InfoCode = 8;
    public const int InfoPid = 16;
    public const int InfoStatus = 24;
    public const int CodeExited = 1;

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint OpenPidfd(nint number, nint pid, nint flags);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint SignalPidfd(nint number, nint pidfd, nint signal, void* info, nint flags);

    [LibraryImport("libc", EntryPoint = "waitid", SetLastError = true)]
    public static partial int Wait(int idType, uint id, byte* info, int options);

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    public static partial int SignalByNumber(int pid, int signal);
}
