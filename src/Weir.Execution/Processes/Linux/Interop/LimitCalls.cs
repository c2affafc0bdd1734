using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Limits of another process, set from outside.</summary>
internal static unsafe partial class LimitCalls
{
    public const int Data = 2;
    public const int Core = 4;

    [StructLayout(LayoutKind.Sequential)]
    public struct Limit
    {
        public ulong Soft;
        public ulong Hard;
    }

    [LibraryImport("libc", EntryPoint = "prlimit", SetLastError = true)]
    public static partial int Set(int pid, int resource, Limit* fresh, Limit* old);
}
