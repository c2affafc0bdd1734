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
    /// Maps every operation at <c>{prefix}/{Service}/{Operation}</c>, or at the routes that <see cref="ServiceAttribute.Route"/> and its verbs name, and with
    /// an extension that names a format where the path ends in text. Each is
    /// an endpoint whose metadata holds its <see cref="Operation"/> and the attributes of its contract, class and method;
    /// conventions and endpoint filters added to the returned builder apply to all of them.
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="prefix">The path before the service, with a leading slash and no trailing one; default empty.</param>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> was not called (WEIR3001).</exception>
    public static WeirEndpointConventionBuilder MapWeir(this IEndpointRouteBuilder endpoints, string prefix = "")
    {
        var catalogs = Catalogs(endpoints);
        return Map(endpoints, prefix, [.. catalogs.Services.Where(static service => service.IsServedOverHttp)]);
    }

    /// <summary>
    /// Maps the operations of one service, as <see cref="MapWeir"/> maps those of all. An application that calls both for one prefix does not
    /// start (WEIR3014).
    /// </summary>
    /// <typeparam name="TService">The served class, or the interface that it serves.</typeparam>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="prefix">The path before the service, with a leading slash and no trailing one; default empty.</param>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> was not called (WEIR3001), no service has this type, or it is marked <c>[Service(Http = false)]</c>.</exception>
    public static WeirEndpointConventionBuilder MapWeirService<TService>(this IEndpointRouteBuilder endpoints, string prefix = "")
        where TService : class
    {
        var catalogs = Catalogs(endpoints);
        var services = catalogs.Services;

        // C# writes a dot before the name of a nested type.
        var name = typeof(TService).FullName!.Replace('+', '.');
        var service = services.FirstOrDefault(one => one.TypeName == name || one.ContractName == name) ?? throw new InvalidOperationException(
            $"MapWeirService<{name}>: {NotServed(catalogs, name)}, or write one of {string.Join(", ", services.Select(static one => one.TypeName))}.");
        return service.IsServedOverHttp
            ? Map(endpoints, prefix, [service])
            : throw new InvalidOperationException($"MapWeirService<{name}>: the service is marked [Service(Http = false)]. Remove Http = false, or this call.");
    }

    private static string NotServed(WeirCatalogs catalogs, string name)
    {
        var unmarked = catalogs.Catalogs.SelectMany(static one => one.Unmarked).Where(one => one.Key == name || one.Value == name).Select(static one => one.Value).ToList();
        return unmarked.Count > 0
            ? $"{string.Join(" and ", unmarked)} is not marked, so nothing serves it ({WeirCodes.ContractNotServed}). Mark the class [Service]"
            : "no service has this class or contract. Mark the class [Service]";
    }

    private static WeirCatalogs Catalogs(IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return endpoints.ServiceProvider.GetService<WeirCatalogs>() ?? throw NotAdded(nameof(WeirCatalogs));
    }

    private static WeirEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, string prefix, IReadOnlyList<Service> mapped)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        var services = endpoints.ServiceProvider;
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(EndpointServices)) == false)
        {
            throw NotAdded(nameof(EndpointServices));
        }

        var source = new OperationDataSource(prefix.TrimEnd('/'), mapped, services.GetRequiredService<EndpointServices>, services);
        endpoints.DataSources.Add(source);
        services.GetRequiredService<MappedOperations>().Add(source);
        return new WeirEndpointConventionBuilder(source);
    }

    private static InvalidOperationException NotAdded(string what) => new(
        $"Weir's endpoints need {what}, which is not registered; call builder.Services.AddWeir() before builder.Build(). See {WeirCodes.ServiceNotRegistered}.");
}
