using System.Diagnostics;

namespace Weir.Lab.Measuring;

/// <summary>The monotonic clock of the machine: its stamps can be compared between processes.</summary>
internal static class Clock
{
    private static readonly double NanosecondsPerTick = 1_000_000_000.0 / Stopwatch.Frequency;

    public static long Now => Stopwatch.GetTimestamp();

    public static long NanosecondsSince(long stamp) => (long)((Stopwatch.GetTimestamp() - stamp) * NanosecondsPerTick);

    public static double SecondsSince(long stamp) => Stopwatch.GetElapsedTime(stamp).TotalSeconds;

    public static double MillisecondsBetween(long earlier, long later) => (later - earlier) * NanosecondsPerTick / 1_000_000;

    public static long TicksOf(double seconds) => (long)(seconds * Stopwatch.Frequency);
}
