using System.Net;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Authorization.Policy;

namespace Showcase;

/// <summary>
/// Who may act while the showcase is developed: the person at this machine. It has no login, so its policy asks about the request. An application with users asks about them, in a policy that stands for this one.
/// </summary>
internal sealed class LocalUsers : IAuthorizationMiddlewareResultHandler
{
    /// <summary>The name of the policy.</summary>
    internal const string Policy = "local users";

    internal static void Add(IServiceCollection services)
    {
        services.AddAuthorizationBuilder().AddPolicy(Policy, static policy => policy.RequireAssertion(static asked => asked.Resource is HttpContext http && IsLocal(http)));
        services.AddSingleton<IAuthorizationMiddlewareResultHandler, LocalUsers>();
    }

    /// <summary>Answers 403. ASP.NET Core would ask a caller who is refused to log in, and there is no scheme for that.</summary>
    public Task HandleAsync(RequestDelegate next, HttpContext context, AuthorizationPolicy policy, PolicyAuthorizationResult authorizeResult)
    {
        if (authorizeResult.Succeeded)
        {
            return next(context);
        }

        context.Response.StatusCode = StatusCodes.Status403Forbidden;
        return context.Response.WriteAsync("Only direct requests from this machine may do this: to localhost or a loopback address, through no proxy.", context.RequestAborted);
    }

    // A proxy on this machine has a loopback address for all its callers. And a page of another origin can send requests here by a name that resolves to this machine (DNS rebinding), but not by these names.
    private static bool IsLocal(HttpContext http) =>
        http.Connection is { RemoteIpAddress: { } peer, LocalIpAddress: { } own }
        && IPAddress.IsLoopback(peer)
        && IPAddress.IsLoopback(own)
        && http.Request.Host.Host is "localhost" or "127.0.0.1" or "[::1]"
        && !http.Request.Headers.Keys.Any(IsOfProxy);

    private static bool IsOfProxy(string header) => header.ToUpperInvariant() is "FORWARDED" or "VIA" or "X-REAL-IP" || header.StartsWith("X-Forwarded-", StringComparison.OrdinalIgnoreCase);
}
