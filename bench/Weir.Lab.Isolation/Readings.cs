using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Weir.Lab.Isolation;

/// <summary>Readings as lines.</summary>
public static class Readings
{
    public static ControlLine Reading(string metric, double value, string unit) =>
        new ControlLine("reading").With("metric", metric).With("value", value).With("unit", unit);

    /// <summary>The end of a round.</summary>
    public static ControlLine Done() => new ControlLine("ok");

    /// <summary>A round of tasks of which only the rate is known.</summary>
    public static IEnumerable<ControlLine> OfRate(long count, double seconds) => new[] { Reading("tasks/s", count / seconds, "1/s"), Done() };

    /// <summary>A round of tasks that were taken one after the other: rate, median and 99th percentile.</summary>
    public static IEnumerable<ControlLine> OfRoundTrips(List<long> ticks, double seconds)
    {
        ticks.Sort();
        return new[]
        {
            Reading("tasks/s", ticks.Count / seconds, "1/s"),
            Reading("p50", Microseconds(ticks[ticks.Count / 2]), "µs"),
            Reading("p99", Microseconds(ticks[(int)(ticks.Count * 0.99)]), "µs"),
            Done(),
        };
    }

    /// <summary>A round of starts: rate and median.</summary>
    public static IEnumerable<ControlLine> OfStarts(long[] ticks, double seconds)
    {
        yield return Reading("starts/s", ticks.Length / seconds, "1/s");
        foreach (var line in OfStarts(ticks))
            yield return line;
    }

    /// <summary>A round of starts of which only the median is known.</summary>
    public static IEnumerable<ControlLine> OfStarts(long[] ticks)
    {
        Array.Sort(ticks);
        return new[] { Reading("start", Microseconds(ticks[ticks.Length / 2]) / 1000, "ms"), Done() };
    }

    private static double Microseconds(long ticks) => ticks * 1e6 / Stopwatch.Frequency;
}
