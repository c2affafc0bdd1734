using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// What workers are started as, by generation: the one that is current, and the last that worked, to which the pool goes back
/// when a new one cannot be started. Under the pool's lock.
/// </summary>
/// <param name="first">Before any reload.</param>
internal sealed class PoolGenerations(PoolDefinition first)
{
    // Two at most.
    private readonly Dictionary<int, PoolDefinition> _specs = new() { [0] = first };

    public PoolDefinition Of(int generation) => _specs[generation];

    /// <summary>A generation has just begun.</summary>
    public void Begin(PoolTable table, PoolDefinition spec)
    {
        _specs[table.Generation] = spec;
        foreach (var generation in _specs.Keys)
        {
            if (generation != table.Generation && generation != table.ProvenGeneration)
            {
                _specs.Remove(generation);
            }
        }
    }
}
