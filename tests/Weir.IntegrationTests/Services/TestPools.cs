using Weir.Generated;
using Weir.IntegrationTests.Workers;

namespace Weir.IntegrationTests.Services;

/// <summary>The pools of this assembly's services.</summary>
internal static class TestPools
{
    internal static IReadOnlyList<string> Names { get; } =
    [
        .. ApplicationCatalog.Catalogs
            .SelectMany(static catalog => catalog.Services)
            .SelectMany(static service => service.Operations)
            .Select(static operation => operation.Pool)
            .OfType<string>()
            .Distinct(StringComparer.OrdinalIgnoreCase),
    ];

    /// <summary>How long a worker may take to start; only a hang takes so long, however busy the machine is.</summary>
    internal static TimeSpan StartTimeout { get; } = TimeSpan.FromSeconds(60);

    /// <summary>Starts no worker before a call needs one: a test pays, and logs, only for the pools that it calls.</summary>
    internal static void StartOnDemand(WeirOptions options, Action<PoolOptions>? configure = null)
    {
        foreach (var name in Names)
        {
            var pool = options.Pool(name);
            (pool.MinWorkers, pool.StartTimeout) = (0, StartTimeout);
            configure?.Invoke(pool);
        }

        options.Pool("foreign").Command = ["python3", Interpreters.PythonProgram];
    }
}
