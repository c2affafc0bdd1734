using Weir.Execution.Pools.Options;
using Weir.Execution.Processes.Linux.Limits;

namespace Weir.Execution.Pools.Shared;

/// <summary>What can be known of the shared data of several pools from their options.</summary>
internal static class SharedDataCheck
{
    /// <summary>Refuses a name that has other sources in two pools of an application.</summary>
    /// <param name="pools">The pools and their options, which have the defaults in them.</param>
    /// <exception cref="InvalidOperationException">It names the pools and the sources (WEIR3002).</exception>
    public static void RequireOneSource(IEnumerable<(string Pool, PoolOptions Options)> pools)
    {
        var seen = new Dictionary<string, (string Pool, SharedDataSource Source)>(StringComparer.OrdinalIgnoreCase);
        foreach (var (pool, options) in pools)
        {
            foreach (var (name, source) in options.SharedDataSources)
            {
                if (!seen.TryAdd(name, (pool, source)) && seen[name] is var other && other.Source != source)
                {
                    var again = source.Path is null && other.Source.Path is null ? "another stream" : source.ToString();
                    throw new InvalidOperationException(
                        $"SharedData:{name} of pool '{pool}' is {again}, and of pool '{other.Pool}' {other.Source}: pools share one copy of a name. "
                        + $"Give both the same file or the same delegate, or use two names. See {WeirCodes.InvalidOptions}.");
                }
            }
        }
    }

    /// <summary>How many bytes of memory the machine and the host's control groups have left; <c>null</c> where that is not known. Reads a dozen small files.</summary>
    public static long? FreeMemory() => OperatingSystem.IsLinux() ? new MachineResources().Read().FreeMemory : null;

    /// <summary>How many bytes pools share, as far as it is known before they are read; each source once.</summary>
    public static long KnownBytes(IEnumerable<PoolOptions> pools) =>
        pools.SelectMany(static options => options.Merged().SharedDataSources).Select(static pair => (pair.Key.ToUpperInvariant(), pair.Value)).Distinct().Sum(static one => one.Value.KnownLength() ?? 0);
}
