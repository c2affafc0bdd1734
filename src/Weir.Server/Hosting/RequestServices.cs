using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Server.Hosting;

/// <summary>
/// The request's services for operations that may need none: a scope costs more than the rest of a small call, so it is
/// made when something is asked for.
/// </summary>
internal sealed class RequestServices(HttpContext http) : IKeyedServiceProvider
{
    public object? GetService(Type serviceType) => http.RequestServices.GetService(serviceType);

    public object? GetKeyedService(Type serviceType, object? serviceKey) => Keyed().GetKeyedService(serviceType, serviceKey);

    public object GetRequiredKeyedService(Type serviceType, object? serviceKey) => Keyed().GetRequiredKeyedService(serviceType, serviceKey);

    private IKeyedServiceProvider Keyed() =>
        http.RequestServices as IKeyedServiceProvider ?? throw new InvalidOperationException("The application's container has no keyed services.");
}
