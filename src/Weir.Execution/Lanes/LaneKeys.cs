using Weir.Execution.Configuration;

namespace Weir.Execution.Lanes;

/// <summary>The keys of the section <c>Weir:Lane</c>.</summary>
internal static class LaneKeys
{
    public static OptionKeys<LaneOptions> All { get; } = new(
        "the lane",
        new("MinThreads", static (lane, value) => lane.MinThreads = value.Integer()),
        new("MaxThreads", static (lane, value) => lane.MaxThreads = value.Integer()),
        new("QueueLimit", static (lane, value) => lane.QueueLimit = value.Integer()),
        new("KeepAlive", static (lane, value) => lane.KeepAlive = value.Time()));
}
