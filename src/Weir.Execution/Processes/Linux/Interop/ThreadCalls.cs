using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>What the kernel knows of the calling thread.</summary>
internal static unsafe partial class ThreadCalls
{
    /// <summary>CLOCK_THREAD_CPUTIME_ID: exact, while the figures of /proc are those of the last tick.</summary>
    public const int ProcessorTime = 3;

    [StructLayout(LayoutKind.Sequential)]
    public struct Time
    {
        public nint Seconds;
        public nint Nanoseconds;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    public static partial int GetTime(int clock, Time* time);
}
