using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves Weir's operations over HTTP.</summary>
public static class WeirEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps every operation at <c>{prefix}/{Service}/{Operation}</c>, and with an extension that names a format. Each is
    /// an endpoint whose metadata holds its <see cref="Operation"/> and the attributes of its contract, class and method;
    /// conventions added to the returned builder apply to all of them. Endpoint filters are not run: with one, the
    /// application does not start (WEIR3011).
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="prefix">The path before the service, with a leading slash and no trailing one; default empty.</param>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> was not called (WEIR3001).</exception>
    public static IEndpointConventionBuilder MapWeir(this IEndpointRouteBuilder endpoints, string prefix = "")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(prefix);
        var services = endpoints.ServiceProvider;
        var catalogs = services.GetService<WeirCatalogs>() ?? throw NotAdded(nameof(WeirCatalogs));
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(EndpointServices)) == false)
        {
            throw NotAdded(nameof(EndpointServices));
        }

        var source = new OperationDataSource(prefix.TrimEnd('/'), catalogs.Services, services.GetRequiredService<EndpointServices>, services);
        endpoints.DataSources.Add(source);
        services.GetRequiredService<MappedOperations>().Add(source);
        return source;
    }

    private static InvalidOperationException NotAdded(string what) => new(
        $"MapWeir needs {what}, which is not registered; call builder.Services.AddWeir() before builder.Build(). See {WeirCodes.ServiceNotRegistered}.");
}
