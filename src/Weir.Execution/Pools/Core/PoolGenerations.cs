using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// The configurations that workers are started with, by generation: the current one, and the last one that worked, to which the pool
/// returns when a new one cannot be started. Under the pool's lock.
/// </summary>
/// <typeparam name="T">A configuration.</typeparam>
/// <param name="first">The configuration before any reload.</param>
internal sealed class PoolGenerations<T>(T first)
{
    // Two at most.
    private readonly Dictionary<int, T> _specs = new() { [0] = first };

    public T Of(int generation) => _specs[generation];

    /// <summary>The configuration that workers are started with now; not that of a reload whose workers could not start. Called without the lock.</summary>
    public T Current(PoolCore pool) => pool.Read(this, static (table, generations) => generations.Of(table.Generation));

    /// <summary>The configurations that workers may still be started with: the current one, and the last one that worked.</summary>
    public IEnumerable<T> InUse(PoolTable table)
    {
        foreach (var (generation, spec) in _specs)
        {
            if (generation == table.Generation || generation == table.ProvenGeneration)
            {
                yield return spec;
            }
        }
    }

    /// <summary>A generation has just begun.</summary>
    public void Begin(PoolTable table, T definition)
    {
        _specs[table.Generation] = definition;
        foreach (var generation in _specs.Keys)
        {
            if (generation != table.Generation && generation != table.ProvenGeneration)
            {
                _specs.Remove(generation);
            }
        }
    }
}
