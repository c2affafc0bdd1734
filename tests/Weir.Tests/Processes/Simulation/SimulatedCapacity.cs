namespace Weir.Tests.Processes.Simulation;

/// <summary>The capacity over all pools.</summary>
internal sealed class SimulatedCapacity(int limit)
{
    public int Limit { get; } = limit;

    public int Reserved { get; private set; }

    public bool IsFull => Reserved >= Limit;

    public int Reserve(int wanted)
    {
        var taken = Math.Min(wanted, Limit - Reserved);
        Reserved += taken;
        return taken;
    }

    /// <summary>Reserves it without regard to the limit.</summary>
    public int Take(int wanted)
    {
        Reserved += wanted;
        return wanted;
    }

    public void Release(int count) => Reserved -= count;
}
