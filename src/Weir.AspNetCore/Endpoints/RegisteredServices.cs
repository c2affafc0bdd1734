using Microsoft.Extensions.DependencyInjection;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Which parts of ASP.NET Core the application has registered. Some of them register internal types only, so a container cannot
/// resolve them; their namespace is enough.
/// </summary>
internal sealed class RegisteredServices(IServiceCollection services)
{
    /// <summary>Whether a service of the namespace is registered.</summary>
    internal bool HasOf(string @namespace) => services.Any(one => one.ServiceType.Namespace == @namespace);
}
