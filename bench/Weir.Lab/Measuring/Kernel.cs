using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Weir.Lab.Measuring;

/// <summary>What the lab asks the kernel itself, where the framework's own way would be part of what is measured.</summary>
internal static partial class Kernel
{
    private const nint PidfdOpen = 434;
    private const short PollIn = 1;
    private const int SigKill = 9;
    private const int SigStop = 19;
    private const string C = "libc";

    /// <summary>A descriptor that becomes readable when the process has ended.</summary>
    /// <exception cref="Win32Exception">There is no such process.</exception>
    public static int OpenProcess(int pid)
    {
        var descriptor = (int)SystemCall(PidfdOpen, pid, 0);
        return descriptor >= 0 ? descriptor : throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Waits until a descriptor is readable; false when it was not for so long.</summary>
    public static unsafe bool Wait(int descriptor, int milliseconds)
    {
        var poll = new PollDescriptor { Descriptor = descriptor, Wanted = PollIn };
        return Poll(&poll, 1, milliseconds) > 0;
    }

    /// <summary>SIGKILL, to a process that the caller has started.</summary>
    public static void Kill(int pid) => _ = Signal(pid, SigKill);

    /// <summary>SIGSTOP, to a process that the caller has started.</summary>
    public static void Stop(int pid) => _ = Signal(pid, SigStop);

    /// <summary>Ends the calling process at once: no handler runs, and no destructor.</summary>
    [LibraryImport(C, EntryPoint = "_exit")]
    public static partial void Exit(int code);

    [LibraryImport(C, EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int descriptor);

    [LibraryImport(C, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second);

    [LibraryImport(C, EntryPoint = "poll", SetLastError = true)]
    private static unsafe partial int Poll(PollDescriptor* descriptors, nuint count, int milliseconds);

    [LibraryImport(C, EntryPoint = "kill", SetLastError = true)]
    private static partial int Signal(int pid, int signal);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Wanted;
        public short Ready;
    }
}
