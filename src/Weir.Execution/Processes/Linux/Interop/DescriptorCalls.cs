using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Calls on any file descriptor.</summary>
internal static unsafe partial class DescriptorCalls
{
    public const int GetDescriptorFlags = 1;
    public const int SetDescriptorFlags = 2;
    public const int GetStatusFlags = 3;
    public const int SetStatusFlags = 4;
    public const int DuplicateCloseOnExec = 1030;
    public const int CloseOnExec = 1;
    public const int NonBlocking = 0x800;
    public const int OpenCloseOnExec = 0x80000;
    public const int CloseRangeCloseOnExec = 4;

    /// <summary>close_range(2); the number is the same on every architecture.</summary>
    public const int CloseRange = 436;

    // Not retried on EINTR: Linux has already released the number, and another thread may own it by then.
    [LibraryImport("libc", EntryPoint = "close")]
    public static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(int descriptor, int command, int argument);

    [LibraryImport("libc", EntryPoint = "pipe2", SetLastError = true)]
    public static partial int Pipe(int* ends, int flags);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(int descriptor, byte* buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(int descriptor, byte* buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint SystemCall(nint number, nint first, nint last, nint flags);
}
