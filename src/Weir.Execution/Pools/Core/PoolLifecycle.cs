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

    /// <summary>The settings that the decisions use now.</summary>
    public static PoolSettings CurrentSettings(this PoolCore pool)
    {
        PoolSettings current = null!;
        pool.Decide(0, (table, _, _, _) => current = table.Settings);
        return current;
    }

    /// <summary>Changes the minimum, the maximum, the limit of the queue and the idle timeout.</summary>
    public static void Resize(this PoolCore pool, PoolSettings settings) =>
        pool.Decide(settings, static (table, settings, now, actions) => PoolDecisions.Resize(table, settings, now, actions));

    /// <summary>Accepts no more calls; calls that were made before are handled as before.</summary>
    public static void Drain(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Drain(table, now, actions));

    public static void Abort(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Abort(table, now, actions));
}
