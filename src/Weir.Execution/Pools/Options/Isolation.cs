namespace Weir.Execution.Pools.Options;

/// <summary>Describes how a pool's workers are isolated on this machine: what applies to every worker, and the limits of the worker that started last.</summary>
internal static class Isolation
{
    private const string Always = "process: own memory and statics, own process group, private channels, ends with the host, no core dumps";

    /// <param name="latest">The limits of the last worker that was spawned; <c>null</c> before the first.</param>
    public static string Describe(AppliedLimits? latest) => latest is null ? Always : $"{Always}; {latest}";
}
