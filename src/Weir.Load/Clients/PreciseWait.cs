using System.Runtime.InteropServices;
using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>Waits that are finer than a timer of the thread pool, on a thread that is kept for them.</summary>
internal static partial class PreciseWait
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Blocks until a stamp of the clock; on Windows up to about a millisecond longer.</summary>
    public static void Until(long due)
    {
        var nanoseconds = Stamp.Nanoseconds(Stamp.Now, due);
        if (nanoseconds <= 0)
        {
            return;
        }

        if (OperatingSystem.IsWindows())
        {
            Thread.Sleep(TimeSpan.FromMilliseconds(Math.Max(1, nanoseconds / 1_000_000)));
            return;
        }

        var wait = new Interval { Seconds = (nint)(nanoseconds / NanosecondsPerSecond), Nanoseconds = (nint)(nanoseconds % NanosecondsPerSecond) };
        _ = Sleep(wait, 0);
    }

    // A signal ends it early: its caller looks at the clock again.
    [LibraryImport("libc", EntryPoint = "nanosleep")]
    private static partial int Sleep(in Interval wait, nint remaining);

    /// <summary><c>struct timespec</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Interval
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
