using Microsoft.AspNetCore.Mvc.ApiExplorer;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Weir.OpenApi;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds Weir's operations to OpenAPI documents.</summary>
public static class WeirOpenApiServiceCollectionExtensions
{
    /// <summary>
    /// Describes the operations that <c>MapWeir</c> serves to every generator of OpenAPI documents that reads ASP.NET Core's API
    /// descriptions: <c>AddOpenApi</c>, Swashbuckle's <c>AddSwaggerGen</c>, NSwag's <c>AddOpenApiDocument</c>. The documents of <c>AddOpenApi</c>
    /// also have enums as Weir writes them, numbers without the text that Weir refuses, streams, default values, and a schema for each of several types
    /// of one name, unless <c>OpenApiOptions.CreateSchemaReferenceId</c> is set. May be called
    /// before or after them; calling it again changes nothing.
    /// </summary>
    /// <param name="services">The application's services.</param>
    public static IServiceCollection AddWeirOpenApi(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddEndpointsApiExplorer();
        services.TryAddEnumerable(ServiceDescriptor.Transient<IApiDescriptionProvider, OperationDescriptionProvider>());
        if (!services.Any(static one => one.ServiceType == typeof(SchemaTransformer)))
        {
            services.AddSingleton<SchemaTransformer>();
            services.AddSingleton<OperationTransformer>();
            services.AddSingleton<IPostConfigureOptions<OpenApiOptions>, SchemaNamesConfiguration>();
            services.ConfigureAll<OpenApiOptions>(static options =>
            {
                options.AddSchemaTransformer<SchemaTransformer>();
                options.AddOperationTransformer<OperationTransformer>();
            });
        }

        return services;
    }
}
