using System.Runtime.CompilerServices;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Worker.Start;

/// <summary>From HELLO to a table of operations whose instances can be created. Runs user code, so not on the control thread.</summary>
internal static class StartSequence
{
    /// <exception cref="StartException">Names the phase that failed.</exception>
    public static WorkerTable Run(HelloPayload hello, Func<IReadOnlyList<ServiceCatalog>> load, StartupSource startup, out string identity)
    {
        // 1. Agree on a version, before anything of the application is touched.
        if (ProtocolVersion.Agree(hello.MinVersion, hello.MaxVersion) == 0)
        {
            throw new StartException("agree version", new NotSupportedException(
                $"The host supports versions {hello.MinVersion} to {hello.MaxVersion} of the protocol, this worker {ProtocolVersion.Lowest} to {ProtocolVersion.Highest}; deploy one version of Weir."));
        }

        // 2. Load the catalogs, and refuse other code than the host runs.
        var catalogs = StartException.Attempt("load catalog", load);
        var own = identity = StartException.Attempt("load catalog", () => CatalogIdentity.Of(catalogs));
        if (hello.CatalogIdentity.Length > 0 && hello.CatalogIdentity != own)
        {
            throw new StartException("compare catalogs", new InvalidOperationException(
                $"The application was rebuilt while the host was running: the host runs {hello.CatalogIdentity}, the worker found {own}. Restart the host. See {WeirCodes.CatalogMismatch}."));
        }

        var table = StartException.Attempt("load catalog", () => WorkerTable.Of(catalogs, hello.Pool));

        // 3. Build the services that constructors of this pool need.
        foreach (var host in table.Hosts)
        {
            StartException.Attempt("build services", () => host.Attach(startup));
        }

        // 4. Create one instance of every class, so that a missing service fails the start and not the first call.
        //    An instance that implements IWarmUp is warmed up.
        foreach (var host in table.Hosts)
        {
            var lease = StartException.Attempt($"create {host.Service.TypeName}", host.Open);
            try
            {
                if (hello.WarmUp && lease.Instance is IWarmUp cold)
                {
                    StartException.Attempt($"warm up {host.Service.TypeName}", () => cold.WarmUpAsync(startup.Stopping).AsTask().GetAwaiter().GetResult());
                }
            }
            finally
            {
                if (!lease.IsFree)
                {
                    Dispose(lease, host);
                }
            }
        }

        return table;
    }

    // Not inlined, as the caller would load a dozen types of tasks also where there is nothing to dispose.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Dispose(ServiceLease lease, ServiceHost host) =>
        StartException.Attempt($"create {host.Service.TypeName}", () => lease.DisposeAsync().AsTask().GetAwaiter().GetResult());
}
