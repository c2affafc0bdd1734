using Weir.Execution.Configuration;
using Weir.Execution.Lanes;
using Weir.Execution.Pools.Options;

namespace Weir.Execution;

/// <summary>The keys of the section <c>Weir</c>.</summary>
internal static class WeirKeys
{
    /// <summary>The section's name.</summary>
    public const string Section = "Weir";

    public static OptionKeys<WeirOptions> All { get; } = new(
        "Weir",
        new("Pools", static (weir, value) => BindPools(weir, value)),
        new("Lane", static (weir, value) => BindLane(weir, value)),
        new("MaxWorkers", static (weir, value) => weir.MaxWorkers = value.OptionalInteger()),
        new("RunInline", static (weir, value) => weir.RunInline = value.OptionalSwitch()),
        new("DrainTimeout", static (weir, value) => weir.DrainTimeout = value.OptionalTime()));

    private static void BindPools(WeirOptions weir, ConfiguredValue value)
    {
        foreach (var pool in value.Sections())
        {
            PoolKeys.All.Bind(weir.Pool(pool.Key), pool);
        }
    }

    private static void BindLane(WeirOptions weir, ConfiguredValue value) => LaneKeys.All.Bind(weir.Lane, value.Section);
}
