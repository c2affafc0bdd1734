using System.ComponentModel;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Runtime;

/// <summary>How generated code resolves services.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ServiceResolution
{
    /// <summary>Returns a service, or a fallback.</summary>
    /// <typeparam name="T">The service's type.</typeparam>
    /// <param name="services">The services of the call.</param>
    /// <param name="fallback">Taken when the service is not registered.</param>
    public static T Optional<T>(IServiceProvider services, T fallback)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.GetService(typeof(T)) is T service ? service : fallback;
    }

    /// <summary>Returns a service, or throws an error that names the class that needs it and what to do.</summary>
    /// <typeparam name="T">The service's type.</typeparam>
    /// <param name="services">The services of the call.</param>
    /// <param name="consumer">The class that needs it.</param>
    /// <exception cref="InvalidOperationException">It is not registered (WEIR3001).</exception>
    public static T Require<T>(IServiceProvider services, string consumer)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.GetService(typeof(T)) is T service
            ? service
            : throw new InvalidOperationException(
                $"{consumer} needs {typeof(T)}, which is not registered; add it to the application's services, or for an isolated class to its [WorkerServices] method. See {WeirCodes.ServiceNotRegistered}.");
    }

    /// <summary>Returns the service with a key, or a fallback.</summary>
    /// <typeparam name="T">The service's type.</typeparam>
    /// <param name="services">The services of the call.</param>
    /// <param name="key">Its key.</param>
    /// <param name="fallback">Taken when the service is not registered.</param>
    /// <exception cref="InvalidOperationException">The container does not support keyed services.</exception>
    public static T OptionalKeyed<T>(IServiceProvider services, object key, T fallback) =>
        Keyed(services).GetKeyedService(typeof(T), key) is T service ? service : fallback;

    /// <summary>Returns the service with a key, or throws an error that names the class that needs it and what to do.</summary>
    /// <typeparam name="T">The service's type.</typeparam>
    /// <param name="services">The services of the call.</param>
    /// <param name="key">Its key.</param>
    /// <param name="consumer">The class that needs it.</param>
    /// <exception cref="InvalidOperationException">It is not registered (WEIR3001), or the container does not support keyed services.</exception>
    public static T RequireKeyed<T>(IServiceProvider services, object key, string consumer)
        where T : notnull =>
        Keyed(services).GetKeyedService(typeof(T), key) is T service
            ? service
            : throw new InvalidOperationException(
                $"{consumer} needs {typeof(T)} with the key '{key}', which is not registered; add it to the application's services by AddKeyed…, or for an isolated class to its [WorkerServices] method. See {WeirCodes.ServiceNotRegistered}.");

    private static IKeyedServiceProvider Keyed(IServiceProvider services) => services as IKeyedServiceProvider
        ?? throw new InvalidOperationException($"A keyed service is needed, and the container ({services?.GetType()}) does not support keyed services. See {WeirCodes.ServiceNotRegistered}.");
}
