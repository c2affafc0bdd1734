namespace Weir.Tests.Processes.Simulation;

/// <summary>How long the calls of an operation really take.</summary>
internal sealed class SimulatedOperation
{
    private readonly double _usual;
    private readonly double _rarely;
    private readonly double _rare;

    public SimulatedOperation(Random random)
    {
        // Microseconds, milliseconds, tenths of a second; some are usually quick and sometimes slow.
        _usual = random.Next(4) switch { 0 => 0.004, 1 => 0.03, 2 => 2, _ => 80 };
        _rarely = random.Next(3) == 0 ? 0.1 : 0;
        _rare = random.Next(2) == 0 ? 6 : 150;
        IsStreamed = random.Next(6) == 0;
    }

    public bool IsStreamed { get; }

    /// <summary>In milliseconds.</summary>
    public double Draw(Random random) => (random.NextDouble() < _rarely ? _rare : _usual) * (0.5 + random.NextDouble());
}
