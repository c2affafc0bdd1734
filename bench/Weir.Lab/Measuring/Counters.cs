using Weir.Lab.Isolation;

namespace Weir.Lab.Measuring;

/// <summary>What a contender's own runtime has counted since it started; differences are what a round used.</summary>
internal readonly record struct Counters(long AllocatedBytes, double CpuSeconds, long Collections)
{
    public static Counters operator -(Counters later, Counters earlier) => Subtract(later, earlier);

    public static Counters Subtract(Counters later, Counters earlier) => new(
        later.AllocatedBytes - earlier.AllocatedBytes,
        later.CpuSeconds - earlier.CpuSeconds,
        later.Collections - earlier.Collections);

    /// <summary>Those of this process.</summary>
    public static Counters OfThisProcess()
    {
        var cpu = Environment.CpuUsage;
        return new Counters(GC.GetTotalAllocatedBytes(precise: true), cpu.TotalTime.TotalSeconds, GC.CollectionCount(0));
    }

    /// <summary>Those that a contender sent.</summary>
    public static Counters Of(ControlLine line) => new((long)line.Number("allocated"), line.Number("cpu"), line.Int("collections"));

    /// <summary>As a contender sends them.</summary>
    public ControlLine ToLine() => new ControlLine("ok").With("allocated", AllocatedBytes).With("cpu", CpuSeconds).With("collections", Collections);
}
