using Weir.Generated;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Services;
using Weir.Runtime;

namespace Weir.IntegrationTests.Faults;

/// <summary>Fresh pools of this assembly's services, without an application around them.</summary>
internal static class FreshPool
{
    internal static WeirCatalogs Catalogs { get; } = new(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs);

    internal static WorkerPool Start(string name, Action<PoolOptions>? configure = null, RecordedLog? log = null)
    {
        var options = new PoolOptions { StartTimeout = TestPools.StartTimeout };
        configure?.Invoke(options);
        return WorkerPool.Start(name, Catalogs, options, log);
    }
}
