using Microsoft.Extensions.DependencyInjection;

namespace Weir.Execution.Pipeline;

/// <summary>
/// Where one application takes the instances of its services from: the container, where the class is registered there or another
/// implementation of the contract is; otherwise each call has one that generated code creates. Immutable; may be used concurrently.
/// </summary>
internal sealed class ServiceInstances
{
    private readonly Dictionary<Service, Type> _registered;
    private readonly HashSet<Service> _replaced;

    private ServiceInstances(Dictionary<Service, Type> registered, HashSet<Service> replaced)
    {
        _registered = registered;
        _replaced = replaced;
    }

    /// <summary>None is in a container.</summary>
    public static ServiceInstances Generated { get; } = new([], []);

    /// <summary>Those of a container, and no other implementation of a contract.</summary>
    /// <param name="registered">The classes that the container has.</param>
    public static ServiceInstances Registered(Dictionary<Service, Type> registered) => registered.Count == 0 ? Generated : new ServiceInstances(registered, []);

    /// <summary>Those of an application.</summary>
    /// <param name="services">What it serves.</param>
    /// <param name="registrations">What is registered; <c>null</c> where no <c>AddWeir</c> ran.</param>
    public static ServiceInstances Of(IEnumerable<Service> services, ContractRegistrations? registrations)
    {
        var types = registrations?.Read() ?? [];
        var registered = new Dictionary<Service, Type>();
        var replaced = new HashSet<Service>();
        foreach (var service in services)
        {
            if (service.ContractType?.Invoke() is { } contract && types.TryGetValue(contract, out var isProxy) && !isProxy)
            {
                registered.Add(service, contract);
                replaced.Add(service);
            }
            else if (service.ClassType?.Invoke() is { } type && types.ContainsKey(type))
            {
                registered.Add(service, type);
            }
        }

        return registered.Count == 0 ? Generated : new ServiceInstances(registered, replaced);
    }

    /// <summary>Whether the application registered an implementation of its own for the contract: its calls run in this process.</summary>
    public bool IsReplaced(Service service) => _replaced.Contains(service);

    /// <summary>Whether making or finding the instance takes services of the call.</summary>
    public bool NeedsServices(Service service) => service.NeedsServices || _registered.ContainsKey(service);

    /// <summary>The instance for one call.</summary>
    /// <param name="service">The service.</param>
    /// <param name="services">The services of the call.</param>
    /// <param name="isOwned">Whether the caller disposes it after the call.</param>
    public object Get(Service service, IServiceProvider services, out bool isOwned)
    {
        if (_registered.TryGetValue(service, out var type))
        {
            // The container disposes it, at the end of its lifetime.
            isOwned = false;
            return services.GetRequiredService(type);
        }

        isOwned = !service.IsShared;
        return service.GetInstance(services);
    }
}
