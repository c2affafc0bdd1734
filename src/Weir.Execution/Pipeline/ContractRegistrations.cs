using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>
/// The application's registrations. They are read when the runtime is created, because an application, or the test of one, may still
/// replace the implementation of a contract after <c>AddWeir</c>.
/// </summary>
internal sealed class ContractRegistrations(IServiceCollection services)
{
    private readonly HashSet<ServiceDescriptor> _proxies = [];

    /// <summary>Registers proxies, except where something is registered for the contract.</summary>
    public void AddProxies(IEnumerable<Proxy> proxies)
    {
        var registered = Read();
        foreach (var proxy in proxies)
        {
            if (registered.TryAdd(proxy.Contract, true))
            {
                var registration = ServiceDescriptor.Singleton(proxy.Contract, provider => proxy.Create(provider.GetRequiredService<CallInvoker>()));
                _proxies.Add(registration);
                services.Add(registration);
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
