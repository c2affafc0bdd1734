namespace Weir.Execution.Processes.Linux.ControlGroups;

/// <summary>Where the groups of a pool's workers are made, and their limits. Immutable.</summary>
/// <param name="Homes">One per tree that is used; at least one.</param>
internal sealed record ControlGroupPlan(IReadOnlyList<ControlGroupHome> Homes) : IControlGroups
{
    /// <summary>The most memory of a worker and everything it started.</summary>
    public long? MemoryBytes { get; init; }

    /// <summary>The most processes and threads.</summary>
    public int? Processes { get; init; }

    /// <summary>How many processors' time they may use.</summary>
    public double? Cpus { get; init; }

    /// <summary>The pool is drained: no further group is made.</summary>
    public void Release()
    {
        foreach (var home in Homes)
        {
            home.Remove();
        }
    }
}
