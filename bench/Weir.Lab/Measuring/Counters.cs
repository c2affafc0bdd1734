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
}
