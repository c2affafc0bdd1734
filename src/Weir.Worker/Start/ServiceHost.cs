using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Worker.Start;

/// <summary>Makes the instances of one service, each with the scope it was made from.</summary>
/// <param name="service">The service.</param>
/// <param name="services">Those of its assembly.</param>
internal sealed class ServiceHost(Service service, CatalogServices services)
{
    // Set when the services are built, before the first call.
    private IServiceScopeFactory? _scopes;
    private Type? _registered;

    public Service Service => service;

    public CatalogServices Services => services;

    /// <summary>Whether any of its operations here takes services, by constructor or parameter.</summary>
    public bool NeedsServices { get; set; }

    /// <summary>Builds the services where they are needed; a provider without a scope factory gives every call the same ones.</summary>
    public void Attach(StartupSource startup)
    {
        if (NeedsServices)
        {
            AttachServices(startup);
        }
    }

    /// <summary>Creates the scope and the instance of one call. If this throws, nothing stays open.</summary>
    public ServiceLease Open()
    {
        var scope = _scopes?.CreateScope();
        try
        {
            var provider = scope?.ServiceProvider ?? services.Provider;
            return _registered is { } type
                ? new ServiceLease(provider.GetRequiredService(type), provider, scope, owned: false)
                : new ServiceLease(service.GetInstance(provider), provider, scope, owned: !service.IsShared);
        }
        catch
        {
            scope?.Dispose();
            throw;
        }
    }

    // Not inlined: the caller would load the assembly of the container's interfaces.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AttachServices(StartupSource startup)
    {
        services.Build(startup);
        _scopes = services.Provider.GetService(typeof(IServiceScopeFactory)) as IServiceScopeFactory;

        // A container that cannot say what is registered gives no instances.
        _registered = service.ClassType?.Invoke() is { } type && services.Provider.GetService(typeof(IServiceProviderIsService)) is IServiceProviderIsService known && known.IsService(type)
            ? type
            : null;
    }
}
