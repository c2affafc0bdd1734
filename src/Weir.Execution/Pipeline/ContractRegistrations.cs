using Microsoft.Extensions.DependencyInjection;

namespace Weir.Execution.Pipeline;

/// <summary>
/// The application's registrations. They are read when the runtime is created, because an application, or the test of one, may still
/// replace the implementation of a contract after <c>AddWeir</c>.
/// </summary>
internal sealed class ContractRegistrations(IServiceCollection services)
{
    private readonly HashSet<ServiceDescriptor> _proxies = [];

    /// <summary>Registers proxies, except where something is registered for the contract.</summary>
    public void AddProxies(IEnumerable<(Type Contract, Func<IServiceProvider, object> Create)> proxies)
    {
        var registered = Read();
        foreach (var (contract, create) in proxies)
        {
            if (registered.TryAdd(contract, true))
            {
                var proxy = ServiceDescriptor.Singleton(contract, create);
                _proxies.Add(proxy);
                services.Add(proxy);
            }
        }
    }

    /// <summary>The types that are registered now, and whether Weir's proxy is what the container resolves each to: of several registrations it takes the last.</summary>
    public Dictionary<Type, bool> Read()
    {
        var types = new Dictionary<Type, bool>();
        foreach (var one in services.Where(static one => !one.IsKeyedService))
        {
            types[one.ServiceType] = _proxies.Contains(one);
        }

        return types;
    }
}
