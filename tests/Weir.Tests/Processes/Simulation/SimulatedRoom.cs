namespace Weir.Tests.Processes.Simulation;

/// <summary>The capacity over all pools.</summary>
internal sealed class SimulatedRoom(int cap)
{
    public int Cap { get; } = cap;

    public int Lent { get; private set; }

    public bool IsFull => Lent >= Cap;

    public int Take(int wanted)
    {
        var taken = Math.Min(wanted, Cap - Lent);
        Lent += taken;
        return taken;
    }

    public void Return(int count) => Lent -= count;
}
