using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc.Abstractions;
using Microsoft.AspNetCore.Mvc.ApiExplorer;
using Microsoft.AspNetCore.Mvc.ModelBinding;
using Microsoft.AspNetCore.Mvc.Routing;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Description;
using Weir.AspNetCore.Endpoints;

namespace Weir.OpenApi;

/// <summary>
/// Describes Weir's operations to ASP.NET Core's API explorer, which itself describes only endpoints of delegates and controllers.
/// </summary>
internal sealed class OperationDescriptionProvider(IServiceProvider services) : IApiDescriptionProvider
{
    // After the framework's own providers.
    public int Order => 0;

    public void OnProvidersExecuting(ApiDescriptionProviderContext context)
    {
        var ids = new OperationIds();
        var mapped = services.GetService<MappedOperations>();
        foreach (var operation in mapped is null ? [] : HttpOperations.Of(mapped))
        {
            context.Results.Add(Describe(operation, ids));
        }
    }

    public void OnProvidersExecuted(ApiDescriptionProviderContext context)
    {
    }

    private static ApiDescription Describe(HttpOperation operation, OperationIds ids)
    {
        var metadata = operation.Endpoint.Metadata;
        var group = metadata.GetMetadata<IEndpointGroupNameMetadata>()?.EndpointGroupName;
        var name = metadata.GetMetadata<IEndpointNameMetadata>()?.EndpointName ?? $"{operation.Operation.Service.Name}_{operation.Operation.Name}";
        var id = ids.Next(group, name, operation.Verb);
        var description = new ApiDescription
        {
            HttpMethod = operation.Verb,
            RelativePath = operation.Path[1..],
            GroupName = group,
            ActionDescriptor = new ActionDescriptor
            {
                DisplayName = operation.Endpoint.DisplayName,
                AttributeRouteInfo = new AttributeRouteInfo { Name = id, Template = operation.Path[1..] },
                RouteValues = { ["controller"] = operation.Operation.Service.Name, ["action"] = operation.Operation.Name },
                EndpointMetadata = [.. metadata, .. Metadata(operation, id)],
            },
        };
        description.Properties[typeof(HttpOperation)] = operation;
        AddParameters(description, operation);
        foreach (var response in operation.Responses)
        {
            var type = new ApiResponseType
            {
                StatusCode = response.Status,
                Type = response.Type ?? typeof(void),
                ModelMetadata = new TypeMetadata(response.Type ?? typeof(void)),
                Description = response.Summary,
            };

            // One type has to do for all of them here: the array of a stream, to which OperationTransformer adds its items, and bytes. Their form in JSON, base64, is
            // not described: a client needs one of the two, and generators of clients confuse them.
            foreach (var mediaType in operation.Operation.ResultKind is ResultKind.Stream or ResultKind.Bytes ? response.MediaTypes.Take(1) : response.MediaTypes)
            {
                type.ApiResponseFormats.Add(new ApiResponseFormat { MediaType = mediaType });
            }

            description.SupportedResponseTypes.Add(type);
        }

        return description;
    }

    // The last one counts: what the application itself says stays last.
    private static IEnumerable<object> Metadata(HttpOperation operation, string id)
    {
        var metadata = operation.Endpoint.Metadata;
        yield return new EndpointNameAttribute(id);
        if (metadata.GetMetadata<ITagsMetadata>() is null)
        {
            yield return new TagsAttribute(operation.Operation.Service.Name);
        }

        if (operation.Description.Summary is { } summary && metadata.GetMetadata<IEndpointSummaryMetadata>() is null)
        {
            yield return new EndpointSummaryAttribute(summary);
        }

        if (operation.Description.Remarks is { } remarks && metadata.GetMetadata<IEndpointDescriptionMetadata>() is null)
        {
            yield return new EndpointDescriptionAttribute(remarks);
        }
    }

    private static void AddParameters(ApiDescription description, HttpOperation operation)
    {
        foreach (var parameter in operation.Parameters)
        {
            description.ParameterDescriptions.Add(Describe(parameter, parameter.Source switch
            {
                HttpParameterSource.Path => BindingSource.Path,
                HttpParameterSource.Header => BindingSource.Header,
                _ => BindingSource.Query,
            }));
        }

        foreach (var parameter in operation.Body?.Parameters ?? [])
        {
            // Generators put the values of a form together to one object, whatever its media type.
            description.ParameterDescriptions.Add(Describe(parameter, operation.Body!.Kind == HttpBodyKind.Members ? BindingSource.Form : BindingSource.Body));
        }

        foreach (var mediaType in operation.Body?.Kind == HttpBodyKind.Items ? operation.Body.MediaTypes.Take(1) : operation.Body?.MediaTypes ?? [])
        {
            description.SupportedRequestFormats.Add(new ApiRequestFormat { MediaType = mediaType });
        }
    }

    private static ApiParameterDescription Describe(HttpParameter parameter, BindingSource source) => new()
    {
        Name = parameter.Name,
        Type = parameter.Type,
        Source = source,
        IsRequired = parameter.IsRequired,
        DefaultValue = parameter.Default,
        ModelMetadata = new TypeMetadata(parameter.Type),
        ParameterDescriptor = new ParameterDescriptor { Name = parameter.Name, ParameterType = parameter.Type },
    };
}
