using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.OpenApi;

namespace SecureApi.Setup;

/// <summary>Says in the OpenAPI document which operations need a token, so that clients and the page send one.</summary>
internal static class BearerSecurity
{
    private const string Scheme = "Bearer";

    public static void Describe(OpenApiOptions options)
    {
        options.AddDocumentTransformer(static (document, _, _) =>
        {
            document.AddComponent(Scheme, new OpenApiSecurityScheme { Type = SecuritySchemeType.Http, Scheme = "bearer", BearerFormat = "JWT" });
            return Task.CompletedTask;
        });
        options.AddOperationTransformer(static (operation, context, _) =>
        {
            var metadata = context.Description.ActionDescriptor.EndpointMetadata;
            if (metadata.OfType<IAuthorizeData>().Any() && !metadata.OfType<IAllowAnonymous>().Any())
            {
                operation.Security = [new OpenApiSecurityRequirement { [new OpenApiSecuritySchemeReference(Scheme, context.Document)] = [] }];
            }

            return Task.CompletedTask;
        });
    }
}
