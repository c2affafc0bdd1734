using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>The events of a pool's owner.</summary>
internal static class PoolLifecycle
{
    public static void Open(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Open(table, now, actions));

    /// <summary>The settings that the decisions use now.</summary>
    public static PoolSettings CurrentSettings(this PoolCore pool) => pool.Read(0, static (table, _) => table.Settings);

    /// <summary>Changes the minimum, the maximum, the limit of the queue and the idle timeout.</summary>
    public static void Resize(this PoolCore pool, PoolSettings settings) =>
        pool.Decide(settings, static (table, settings, now, actions) => PoolDecisions.Resize(table, settings, now, actions));

    /// <summary>Accepts no more calls; calls that were made before are handled as before.</summary>
    public static void Drain(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Drain(table, now, actions));

    public static void Abort(this PoolCore pool) => pool.Decide(0, static (table, _, now, actions) => PoolDecisions.Abort(table, now, actions));
}
