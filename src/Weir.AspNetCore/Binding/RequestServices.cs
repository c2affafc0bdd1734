using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// The request's services for operations that may need none: a scope costs more than the rest of a small call, so it is
/// made when a service is requested. Reused for the next request as long as no application code has seen it.
/// </summary>
internal sealed class RequestServices : IKeyedServiceProvider
{
    private HttpContext? _http;

    /// <summary>Whether a service was requested: code may have kept this object, and must not get the services of another request.</summary>
    internal bool WasSeen { get; private set; }

    internal RequestServices Attach(HttpContext http)
    {
        _http = http;
        return this;
    }

    internal void Detach() => _http = null;

    /// <summary>Application code can see it: a context was made around it.</summary>
    internal void MarkSeen() => WasSeen = true;

    public object? GetService(Type serviceType) => Services().GetService(serviceType);

    public object? GetKeyedService(Type serviceType, object? serviceKey) => Keyed().GetKeyedService(serviceType, serviceKey);

    public object GetRequiredKeyedService(Type serviceType, object? serviceKey) => Keyed().GetRequiredKeyedService(serviceType, serviceKey);

    private IServiceProvider Services()
    {
        WasSeen = true;
        return _http!.RequestServices;
    }

    private IKeyedServiceProvider Keyed() =>
        Services() as IKeyedServiceProvider ?? throw new InvalidOperationException("The application's service container does not support keyed services.");
}
