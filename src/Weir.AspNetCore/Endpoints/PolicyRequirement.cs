using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Endpoint metadata: callers must be authorized. Unless it <see cref="IsStrict"/>, that counts outside of development, and the endpoint may say that anyone may call it.</summary>
/// <param name="map">The method that maps the endpoint.</param>
/// <param name="content">What it shows.</param>
internal sealed class PolicyRequirement(string map, string content)
{
    /// <summary>Whether it needs a policy in every environment, and may not be open to anyone.</summary>
    internal bool IsStrict { get; init; }

    /// <summary>Stops the start of an application whose endpoint has no policy.</summary>
    /// <param name="endpoint">With the metadata of all conventions.</param>
    /// <param name="environment">The application's environment.</param>
    /// <exception cref="InvalidOperationException">It has none (WEIR3023, WEIR3025).</exception>
    internal static void Check(Endpoint endpoint, IHostEnvironment environment)
    {
        if (endpoint.Metadata.GetMetadata<PolicyRequirement>() is not { } requirement)
        {
            return;
        }

        var isOpen = endpoint.Metadata.GetMetadata<IAllowAnonymous>() is not null;
        var isGuarded = endpoint.Metadata.Any(requirement.IsStrict ? IsPolicy : ServiceFallback.IsGuard);
        if (requirement.IsStrict ? isOpen || !isGuarded : !environment.IsDevelopment() && !isOpen && !isGuarded)
        {
            throw new InvalidOperationException(requirement.IsStrict ? requirement.Describe(endpoint.DisplayName) : requirement.Describe(endpoint.DisplayName, environment.EnvironmentName));
        }
    }

    // Not everyone who is authenticated.
    private static bool IsPolicy(object metadata) => metadata is IAuthorizeData { Policy: not null } or IAuthorizeData { Roles: not null } or AuthorizationPolicy or IAuthorizationRequirementData;

    private string Describe(string? endpoint) =>
        $"{map} serves {content} at '{endpoint}' to anyone, or to everyone who is authenticated: call RequireAuthorization with a policy for operators on what {map} returns or on its group, and no AllowAnonymous. Neither a fallback nor a default policy counts. "
        + $"See {WeirCodes.JobsAdminUnprotected}.";

    private string Describe(string? endpoint, string environment) =>
        $"{map} serves {content} at '{endpoint}' to anyone, and the environment is '{environment}'. "
        + $"Call it in development only (if (app.Environment.IsDevelopment())), or call RequireAuthorization on what {map} returns, or AllowAnonymous if everyone may read it. "
        + $"See {WeirCodes.CatalogUnprotected}.";
}
