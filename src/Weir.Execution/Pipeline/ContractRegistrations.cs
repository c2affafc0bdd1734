using Microsoft.Extensions.DependencyInjection;

namespace Weir.Execution.Pipeline;

/// <summary>
/// The application's registrations. They are read when the runtime is created, because an application, or the test of one, may still
/// replace the implementation of a contract after <c>AddWeir</c>.
/// </summary>
internal sealed class ContractRegistrations(IServiceCollection services)
{
    private readonly HashSet<ServiceDescriptor> _proxies = [];

    /// <summary>Registers a proxy, unless something is registered for its contract.</summary>
    public void AddProxy(Type contract, Func<IServiceProvider, object> create)
    {
        if (!Has(contract))
        {
            var proxy = ServiceDescriptor.Singleton(contract, create);
            _proxies.Add(proxy);
            services.Add(proxy);
        }
    }

    /// <summary>Whether a type is registered.</summary>
    public bool Has(Type type) => services.Any(one => one.ServiceType == type && !one.IsKeyedService);

    /// <summary>Whether the container resolves a contract to something else than Weir's proxy.</summary>
    public bool IsReplaced(Type contract) =>
        services.LastOrDefault(one => one.ServiceType == contract && !one.IsKeyedService) is { } last && !_proxies.Contains(last);
}
