using Weir.Protocol;

namespace Weir.Worker.Start;

/// <summary>The operations of one pool in the order in which READY lists them: a CALL names one by its place.</summary>
internal sealed class WorkerTable
{
    private WorkerTable(IReadOnlyList<ServiceHost> hosts, IReadOnlyList<OperationHost> operations)
    {
        Hosts = hosts;
        Operations = operations;
    }

    public IReadOnlyList<ServiceHost> Hosts { get; }

    public IReadOnlyList<OperationHost> Operations { get; }

    /// <summary>The table for READY.</summary>
    public IReadOnlyList<OperationEntry> Entries =>
        Operations.Select(o => new OperationEntry(o.Operation.FullName, o.Operation.Signature)).ToArray();

    /// <summary>Picks what runs in <paramref name="pool"/>; other pools' services are not built here.</summary>
    public static WorkerTable Of(IReadOnlyList<ServiceCatalog> catalogs, string pool)
    {
        var hosts = new List<ServiceHost>();
        var operations = new List<OperationHost>();
        foreach (var catalog in catalogs)
        {
            var services = new CatalogServices(catalog);
            foreach (var service in catalog.Services)
            {
                var own = service.Operations.Where(o => o.Placement == Placement.Isolated && string.Equals(o.Pool, pool, StringComparison.OrdinalIgnoreCase)).ToArray();
                if (own.Length > 0)
                {
                    var host = new ServiceHost(service, services, service.NeedsServices || own.Any(o => o.UsesContext));
                    hosts.Add(host);
                    operations.AddRange(own.Select(o => new OperationHost(o, host)));
                }
            }
        }

        return operations.Count > 0
            ? new WorkerTable(hosts, operations)
            : throw new InvalidOperationException($"No operation of {string.Join(", ", catalogs.Select(c => c.AssemblyName))} runs in the pool '{pool}'; name it in [Isolated(\"{pool}\")].");
    }
}

/// <summary>One operation and the service it belongs to.</summary>
internal sealed record OperationHost(Operation Operation, ServiceHost Service);
