using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>The setup that all interleavings share.</summary>
internal sealed record ModelSetup
{
    public bool HasSharedMemory { get; init; }

    /// <summary>Whether the calls are known to be short, so that they are prefetched.</summary>
    public bool IsKnown { get; init; }

    public int MinWorkers { get; init; }

    /// <summary>Which call may run twice; -1 for none.</summary>
    public int Idempotent { get; init; } = -1;

    /// <summary>The number of steps in which time passes.</summary>
    public int Pauses { get; init; }

    /// <summary>The number of callers that cancel.</summary>
    public int Leavings { get; init; }

    /// <summary>How often the owner makes the pool smaller: one worker, and one call that waits.</summary>
    public int Resizes { get; init; }

    /// <summary>Whether unsent frames refer to the memory of withdrawn calls for a while.</summary>
    public bool Lends { get; init; }

    /// <summary>The rule that is broken on purpose.</summary>
    public Mutation Mutation { get; init; }
}
