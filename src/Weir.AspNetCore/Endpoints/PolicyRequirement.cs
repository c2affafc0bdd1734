using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Endpoint metadata: callers must be authorized.</summary>
/// <param name="map">The method that maps the endpoint.</param>
/// <param name="content">What it shows.</param>
/// <param name="rule">Where, and how.</param>
internal sealed class PolicyRequirement(string map, string content, PolicyRule rule)
{
    /// <summary>The method that maps all jobs for operators.</summary>
    internal const string JobsAdmin = "MapWeirJobsAdmin";

    // One line for all endpoints that one call maps. At the start, by one thread.
    private bool _hasWarned;

    /// <summary>The method that maps the endpoint.</summary>
    internal string Map => map;

    /// <summary>Stops the start of an application whose endpoint has no policy.</summary>
    /// <param name="endpoint">With the metadata of all conventions.</param>
    /// <param name="environment">The application's environment.</param>
    /// <param name="log">Gets a warning where everyone who is authenticated is let in.</param>
    /// <exception cref="InvalidOperationException">It has none (WEIR3023, WEIR3024, WEIR3025).</exception>
    internal static void Check(Endpoint endpoint, IHostEnvironment environment, ILogger log) => endpoint.Metadata.GetMetadata<PolicyRequirement>()?.CheckOne(endpoint, environment, log);

    /// <summary>Whether an endpoint itself says who may call it. A fallback policy does not count.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="own">One of its policies that does not count; <c>null</c> for none.</param>
    internal static bool IsGuarded(Endpoint? endpoint, object? own = null) => endpoint?.Metadata.Any(one => one != own && ServiceFallback.IsGuard(one)) == true;

    private void CheckOne(Endpoint endpoint, IHostEnvironment environment, ILogger log)
    {
        var isOpen = endpoint.Metadata.GetMetadata<IAllowAnonymous>() is not null;
        var (place, isDevelopment) = (endpoint.DisplayName, environment.IsDevelopment());
        switch (rule)
        {
            case PolicyRule.OutsideDevelopment when !isDevelopment && !isOpen && !IsGuarded(endpoint):
                throw new InvalidOperationException(
                    $"{map} serves {content} at '{place}' to anyone, and the environment is '{environment.EnvironmentName}'. "
                    + $"Call it in development only (if (app.Environment.IsDevelopment())), or call RequireAuthorization on what {map} returns, or AllowAnonymous if everyone may read it. "
                    + $"See {WeirCodes.CatalogUnprotected}.");
            case PolicyRule.LocalInDevelopment when isOpen || (!isDevelopment && !IsGuarded(endpoint)):
                throw new InvalidOperationException(
                    $"{map} serves {content} at '{place}' {(isOpen ? "with AllowAnonymous" : $"without a policy, and the environment is '{environment.EnvironmentName}'")}. "
                    + $"Call RequireAuthorization with a policy for operators on what {map} returns or on its group, and no AllowAnonymous. In development it needs none: direct requests from the machine are answered. A fallback policy does not count. "
                    + $"See {WeirCodes.DashboardUnprotected}.");
            case PolicyRule.Always when isOpen || !endpoint.Metadata.Any(IsPolicy):
                throw new InvalidOperationException(
                    $"{map} serves {content} at '{place}' to anyone, or to everyone who is authenticated: call RequireAuthorization with a policy for operators on what {map} returns or on its group, and no AllowAnonymous. "
                    + $"Neither a fallback nor a default policy counts. See {WeirCodes.JobsAdminUnprotected}.");
            case PolicyRule.LocalInDevelopment when !_hasWarned && IsGuarded(endpoint) && !endpoint.Metadata.Any(IsPolicy):
                _hasWarned = true;
                log.OpenToAuthenticated(map, content, place);
                break;
        }
    }

    // Not everyone who is authenticated.
    private static bool IsPolicy(object metadata) => metadata is IAuthorizeData { Policy: not null } or IAuthorizeData { Roles: not null } or AuthorizationPolicy or IAuthorizationRequirementData;
}
