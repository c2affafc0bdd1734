using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Priority and processors of one thread, where 0 is the calling one; and what control groups need of the file system.</summary>
internal static unsafe partial class ControlCalls
{
    /// <summary>PRIO_PROCESS, which on Linux means one thread.</summary>
    public const int OneThread = 0;

    public const int MayWrite = 2;

    [LibraryImport("libc", EntryPoint = "setpriority", SetLastError = true)]
    public static partial int SetPriority(int which, int thread, int nice);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    public static partial int SetAffinity(int thread, nuint maskBytes, byte* mask);

    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    public static partial int GetAffinity(int thread, nuint maskBytes, byte* mask);

    [LibraryImport("libc", EntryPoint = "access", SetLastError = true)]
    public static partial int Access(byte* path, int mode);

    [LibraryImport("libc", EntryPoint = "getxattr", SetLastError = true)]
    public static partial nint GetAttribute(byte* path, byte* name, byte* value, nuint capacity);

    [LibraryImport("libc", EntryPoint = "rmdir", SetLastError = true)]
    public static partial int RemoveDirectory(byte* path);
}
