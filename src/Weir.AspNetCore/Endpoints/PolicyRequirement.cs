using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Endpoint metadata: outside of development, callers must be authorized, or the endpoint says that anyone may call it.</summary>
/// <param name="map">The method that maps the endpoint.</param>
/// <param name="content">What it shows.</param>
internal sealed class PolicyRequirement(string map, string content)
{
    /// <summary>Stops the start of an application whose endpoint has neither.</summary>
    /// <param name="endpoint">With the metadata of all conventions.</param>
    /// <param name="environment">The name of the application's environment.</param>
    /// <exception cref="InvalidOperationException">It has neither (WEIR3023).</exception>
    internal static void Check(Endpoint endpoint, string environment)
    {
        if (endpoint.Metadata.GetMetadata<PolicyRequirement>() is { } requirement
            && endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null
            && !endpoint.Metadata.Any(ServiceFallback.IsGuard))
        {
            throw new InvalidOperationException(requirement.Describe(endpoint.DisplayName, environment));
        }
    }

    private string Describe(string? endpoint, string environment) =>
        $"{map} serves {content} at '{endpoint}' to anyone, and the environment is '{environment}'. "
        + $"Call it in development only (if (app.Environment.IsDevelopment())), or call RequireAuthorization on what {map} returns, or AllowAnonymous if everyone may read it. "
        + $"See {WeirCodes.CatalogUnprotected}.";
}
