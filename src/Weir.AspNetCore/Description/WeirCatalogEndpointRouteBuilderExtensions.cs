using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir;
using Weir.AspNetCore.Description;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Responses;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves the catalog of Weir's operations.</summary>
public static class WeirCatalogEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Serves a JSON document with every operation that is served over HTTP: its paths, verbs, parameters, result and signature, for tools
    /// and clients. Its member <c>catalog</c> is the version of its format, 1. An application in another environment than
    /// <c>Development</c> does not start unless the returned builder has a policy or <c>AllowAnonymous</c> (WEIR3023).
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="pattern">The path; default <c>/$catalog</c>.</param>
    /// <returns>Its conventions: <c>RequireAuthorization</c>, for example.</returns>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> was not called (WEIR3001).</exception>
    public static IEndpointConventionBuilder MapWeirCatalog(this IEndpointRouteBuilder endpoints, string pattern = "/$catalog")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var mapped = endpoints.ServiceProvider.GetService<MappedOperations>() ?? throw new InvalidOperationException(
            $"{nameof(MapWeirCatalog)} needs {nameof(MappedOperations)}, which is not registered; call builder.Services.AddWeir() before builder.Build(). See {WeirCodes.ServiceNotRegistered}.");
        mapped.ChecksEndpoints = true;
        var catalog = new Lazy<byte[]>(() => CatalogWriter.Write(HttpOperations.Of(mapped), endpoints.ServiceProvider.GetRequiredService<EndpointServices>().Serializer.ChangedSettings));
        RequestDelegate answer = http => AnswerAsync(http, catalog.Value);
        return endpoints.MapMethods(pattern, [HttpMethods.Get, HttpMethods.Head], answer)
            .WithDisplayName($"Weir: {pattern}")
            .WithMetadata(new PolicyRequirement(nameof(MapWeirCatalog), "the catalog of all operations", PolicyRule.OutsideDevelopment))
            .ExcludeFromDescription();
    }

    private static async Task AnswerAsync(HttpContext http, byte[] catalog)
    {
        http.Response.ContentType = Weir.AspNetCore.Http.MediaTypes.Json;
        http.Response.ContentLength = catalog.Length;
        if (!HttpMethods.IsHead(http.Request.Method))
        {
            await http.Response.Body.WriteAsync(catalog, http.RequestAborted);
        }
    }
}
