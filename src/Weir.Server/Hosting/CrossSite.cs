using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Server.Hosting;

/// <summary>
/// Recognises requests that a page of another site made a browser send. They carry the user's cookies; anything but a
/// read is refused unless the application's CORS policy knows the origin.
/// </summary>
internal static class CrossSite
{
    /// <summary>Whether the browser says so (W3C Fetch Metadata). Other clients do not send the header.</summary>
    internal static bool Sent(HttpContext http) =>
        http.Request.Headers.TryGetValue("Sec-Fetch-Site", out var site)
        && site.Count > 0
        && string.Equals(site[0], "cross-site", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Whether the endpoint's CORS metadata, or else the default policy, allows the request's origin. A policy that is
    /// only named in <c>UseCors("name")</c> cannot be seen from here.
    /// </summary>
    internal static async ValueTask<bool> IsAllowedAsync(HttpContext http)
    {
        var metadata = http.GetEndpoint()?.Metadata.GetMetadata<ICorsMetadata>();
        if (metadata is IDisableCorsAttribute || http.RequestServices.GetService<ICorsService>() is not { } cors)
        {
            return false;
        }

        var policy = (metadata as ICorsPolicyMetadata)?.Policy;
        if (policy is null && http.RequestServices.GetService<ICorsPolicyProvider>() is { } policies)
        {
            policy = await policies.GetPolicyAsync(http, (metadata as IEnableCorsAttribute)?.PolicyName);
        }

        return policy is not null && cors.EvaluatePolicy(http, policy).IsOriginAllowed;
    }
}
