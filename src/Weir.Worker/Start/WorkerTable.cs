using System.Runtime.CompilerServices;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Worker.Start;

/// <summary>The operations of one pool in the order in which READY lists them: a CALL names one by its index.</summary>
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
    public IReadOnlyList<OperationEntry> Entries
    {
        get
        {
            var entries = new OperationEntry[Operations.Count];
            for (var i = 0; i < entries.Length; i++)
            {
                entries[i] = new OperationEntry(Operations[i].Operation.FullName, Operations[i].Operation.Signature);
            }

            return entries;
        }
    }

    /// <summary>Picks what runs in <paramref name="pool"/>; other pools' services are not built here.</summary>
    /// <remarks>Plain loops: LINQ over Weir's own types is compiled at run time, which would delay READY.</remarks>
    public static WorkerTable Of(IReadOnlyList<ServiceCatalog> catalogs, string pool)
    {
        var hosts = new List<ServiceHost>();
        var operations = new List<OperationHost>();
        foreach (var catalog in catalogs)
        {
            var services = new CatalogServices(catalog);
            foreach (var service in catalog.ServicesOf(pool))
            {
                ServiceHost? host = null;
                foreach (var operation in service.Operations)
                {
                    if (operation.Placement != Placement.Isolated || !string.Equals(operation.Pool, pool, StringComparison.OrdinalIgnoreCase))
                    {
                        continue;
                    }

                    if (host is null)
                    {
                        host = new ServiceHost(service, services) { NeedsServices = service.NeedsServices };
                        hosts.Add(host);
                    }

                    host.NeedsServices |= operation.UsesContext;
                    operations.Add(new OperationHost(operation, host));
                }
            }
        }

        return operations.Count > 0
            ? new WorkerTable(hosts, operations)
            : throw Empty(catalogs, pool);
    }

    // Not inlined, as the caller would load LINQ.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static InvalidOperationException Empty(IReadOnlyList<ServiceCatalog> catalogs, string pool) =>
        new($"No operation of {string.Join(", ", catalogs.Select(c => c.AssemblyName))} runs in the pool '{pool}'; name it in [Isolated(\"{pool}\")].");
}

/// <summary>One operation and the service it belongs to.</summary>
internal sealed record OperationHost(Operation Operation, ServiceHost Service);
