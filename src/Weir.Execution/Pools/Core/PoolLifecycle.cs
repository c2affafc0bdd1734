using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The events of a pool's owner.</summary>
internal static class PoolLifecycle
{
    public static void Open(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Open(table, now, actions));

    /// <summary>The configuration that workers are started with now; not that of a reload whose workers could not start.</summary>
    public static PoolDefinition CurrentSpec(this PoolCore pool)
    {
        PoolDefinition current = null!;
        pool.Decide(pool.Generations, (table, generations, _, _) => current = generations.Of(table.Generation));
        return current;
    }

    /// <summary>Accepts no more calls; calls that were made before are handled as before.</summary>
    public static void Drain(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Drain(table, now, actions));

    public static void Abort(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Abort(table, now, actions));
}
