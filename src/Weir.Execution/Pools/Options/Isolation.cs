namespace Weir.Execution.Pools.Options;

/// <summary>Says what keeps a pool's workers apart on this machine: what every worker has, and what was applied to the one that started last.</summary>
internal static class Isolation
{
    private const string Always = "process: own memory and statics, own process group, private channels, ends with the host, no core dumps";

    /// <param name="latest">Of the last worker that was spawned; <c>null</c> before the first.</param>
    public static string Describe(AppliedLimits? latest) => latest is null ? Always : $"{Always}; {latest}";
}
