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

    /// <summary>Rate, median and 99th percentile of round trips that were taken one after the other.</summary>
    public static IEnumerable<ControlLine> OfRoundTrips(long[] ticks, double seconds)
    {
        Array.Sort(ticks);
        yield return Reading("tasks/s", ticks.Length / seconds, "1/s");
        yield return Reading("p50", Microseconds(ticks[ticks.Length / 2]), "µs");
        yield return Reading("p99", Microseconds(ticks[(int)(ticks.Length * 0.99)]), "µs");
    }

    private static double Microseconds(long ticks) => ticks * 1e6 / Stopwatch.Frequency;
}
