namespace Weir.Tests.Processes.Simulation;

/// <summary>What all parts of one run share: time, chance, the cap, and a record of what happened where somebody wants to read it.</summary>
internal sealed class World
{
    private const int LongestTrace = 5000;

    // Bounded: the oldest lines make room.
    private readonly Queue<string>? _trace;

    public World(int seed, Mutation mutation, bool traces)
    {
        Random = new Random(seed);
        Scenario = new Scenario(Random);
        Room = new SimulatedRoom(Scenario.RoomForAll);
        Mutation = mutation;
        _trace = traces ? [] : null;
    }

    public Random Random { get; }

    public Scenario Scenario { get; }

    public SimulatedRoom Room { get; }

    public Mutation Mutation { get; }

    public VirtualTime Time { get; } = new();

    public TimeSpan Now => Time.Now;

    public bool Traces => _trace is not null;

    public IEnumerable<string> Trace => _trace ?? Enumerable.Empty<string>();

    /// <summary>The earlier a run is asked for its trace the better: nothing is noted unless it was asked for at the start.</summary>
    public void Note(string what)
    {
        if (_trace is not null)
        {
            _trace.Enqueue($"{Now.TotalMilliseconds,12:0.0000} {what}");
            if (_trace.Count > LongestTrace)
            {
                _trace.Dequeue();
            }
        }
    }

    public bool Fault() => Chance(Scenario.Faults);

    /// <summary>Nothing goes wrong any more after a while, so that every run can end.</summary>
    public bool Chance(double probability) => probability > 0 && Now < Scenario.FaultsEnd && Random.NextDouble() < probability;

    /// <summary>What anything takes from one process to the other, in milliseconds.</summary>
    public double Latency() => Scenario.Latency * Random.NextDouble();
}
