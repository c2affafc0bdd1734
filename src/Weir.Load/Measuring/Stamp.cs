using System.Diagnostics;

namespace Weir.Load.Measuring;

/// <summary>Stamps of the monotonic clock.</summary>
internal static class Stamp
{
    private static readonly double NanosecondsPerTick = 1_000_000_000.0 / Stopwatch.Frequency;

    public static long Now => Stopwatch.GetTimestamp();

    /// <summary>Ticks of the clock in so many seconds.</summary>
    public static long Ticks(double seconds) => (long)(seconds * Stopwatch.Frequency);

    /// <summary>Ticks of the clock in a duration.</summary>
    public static long Ticks(TimeSpan duration) => Ticks(duration.TotalSeconds);

    public static long Nanoseconds(long earlier, long later) => (long)((later - earlier) * NanosecondsPerTick);

    public static double Seconds(long earlier, long later) => (later - earlier) / (double)Stopwatch.Frequency;
}
