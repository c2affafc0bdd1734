namespace Weir.Tests.Processes.Simulation;

/// <summary>What all parts of one run share: time, random values, the capacity, and a trace of the events if it was requested.</summary>
internal sealed class World
{
    private const int LongestTrace = 5000;

    // Times of a pool that began before begin again, and stops may follow each other.
    private static readonly TimeSpan CatchUp = TimeSpan.FromSeconds(5);

    // Bounded: the oldest lines are removed.
    private readonly Queue<string>? _trace;
    private TimeSpan _standsStillUntil = TimeSpan.FromDays(-1);

    public World(int seed, Mutation mutation, bool traces)
    {
        Random = new Random(seed);
        Scenario = new Scenario(Random);
        Capacity = new SimulatedCapacity(Scenario.CapacityForAll);
        Mutation = mutation;
        _trace = traces ? [] : null;
    }

    public Random Random { get; }

    public Scenario Scenario { get; }

    public SimulatedCapacity Capacity { get; }

    public Mutation Mutation { get; }

    public VirtualTime Time { get; } = new();

    public TimeSpan Now => Time.Now;

    /// <summary>The first rule that was violated: code of the pool may have caught it.</summary>
    public SimulationFault? Fault { get; set; }

    /// <summary>Whether the host stands still or has just done so: then nothing is promised of how late things happen.</summary>
    public bool HasStoodStill => Now < _standsStillUntil + CatchUp;

    public bool Traces => _trace is not null;

    public IEnumerable<string> Trace => _trace ?? Enumerable.Empty<string>();

    /// <summary>Adds a line to the trace, which is recorded only if it was requested at the start of the run.</summary>
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

    /// <summary>Schedules something that the host's process does: not while it stands still.</summary>
    public void OnHost(TimeSpan delay, Action action) => Time.After(delay, () => RunOnHost(action));

    public void OnHost(double milliseconds, Action action) => Time.After(milliseconds, () => RunOnHost(action));

    /// <summary>The host's process stands still, as if it were suspended; workers go on.</summary>
    public void StandStill(TimeSpan time)
    {
        Note($"the host stands still for {time}");
        _standsStillUntil = Now + time;
    }

    /// <summary>A thread of the host does this now, or is preempted before it does.</summary>
    public void Soon(Action action)
    {
        if (Scenario.Preemption > 0 && Random.Next(4) == 0)
        {
            OnHost(Random.NextDouble() * Scenario.Preemption, action);
        }
        else
        {
            action();
        }
    }

    public bool InjectsFault() => Chance(Scenario.Faults);

    /// <summary>Whether a random event occurs; errors stop after some time, so that every run can end.</summary>
    public bool Chance(double probability) => probability > 0 && Now < Scenario.FaultsEnd && Random.NextDouble() < probability;

    /// <summary>A random latency between the processes, in milliseconds.</summary>
    public double Latency() => Scenario.Latency * Random.NextDouble();

    private void RunOnHost(Action action)
    {
        if (Now < _standsStillUntil)
        {
            OnHost(_standsStillUntil - Now, action);
        }
        else
        {
            action();
        }
    }
}
