using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Primitives;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Recognises requests that a page of another origin made a browser send. They may carry the user's cookies; everything except a
/// read is refused unless the application's CORS policy allows the origin.
/// </summary>
internal static class CrossSite
{
    /// <summary>
    /// Whether the browser marks it so. <c>Sec-Fetch-Site</c> (W3C Fetch Metadata) decides where it is sent, which is over https and to
    /// the local machine: only <c>same-origin</c> and <c>none</c> (the user's own navigation) are the application's own pages. Another host of the same site
    /// (<c>same-site</c>) may be in other hands. Otherwise <c>Origin</c> is compared with the request's own. Clients that are not browsers send neither.
    /// </summary>
    internal static bool Sent(HttpContext http)
    {
        var headers = http.Request.Headers;
        return headers.TryGetValue("Sec-Fetch-Site", out var site) && !StringValues.IsNullOrEmpty(site)
            ? !(site.Count == 1 && (string.Equals(site[0], "same-origin", StringComparison.OrdinalIgnoreCase) || string.Equals(site[0], "none", StringComparison.OrdinalIgnoreCase)))
            : headers.Origin is var origin && !StringValues.IsNullOrEmpty(origin) && !IsOwn(origin, http.Request);
    }

    /// <summary>
    /// Whether the endpoint's CORS metadata, or else the default policy, allows the request's origin. A policy that is
    /// only named in <c>UseCors("name")</c> is not visible here.
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

    // Scheme, host and port (RFC 6454); the origin of a sandboxed page is the text "null", which matches no request.
    private static bool IsOwn(StringValues origin, HttpRequest request) =>
        origin.Count == 1
        && Uri.TryCreate(origin[0], UriKind.Absolute, out var page)
        && Uri.TryCreate($"{request.Scheme}://{request.Host.Value}", UriKind.Absolute, out var own)
        && page.Scheme == own.Scheme
        && page.Host == own.Host
        && page.Port == own.Port;
}
