using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>What is the same in all interleavings.</summary>
internal sealed record ModelSetup
{
    public bool HasPage { get; init; }

    /// <summary>Whether the calls are known to be short, so that they are sent ahead.</summary>
    public bool IsKnown { get; init; }

    public int MinWorkers { get; init; }

    /// <summary>Which call may run twice; -1 for none.</summary>
    public int Idempotent { get; init; } = -1;

    /// <summary>How often time passes.</summary>
    public int Pauses { get; init; }

    /// <summary>How many callers leave.</summary>
    public int Leavings { get; init; }

    /// <summary>The rule that is broken on purpose.</summary>
    public Mutation Mutation { get; init; }
}
