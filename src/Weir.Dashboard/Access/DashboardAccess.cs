using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Endpoints;

namespace Weir.Dashboard.Access;

/// <summary>What is decided about every request to the dashboard before its endpoint runs. A policy of the endpoint was checked before, by the authorization of ASP.NET Core.</summary>
internal static class DashboardAccess
{
    private const string ContentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    /// <summary>Adds it to an endpoint.</summary>
    /// <param name="answer">The endpoint.</param>
    /// <param name="isOpenedByLinks">Whether a link on a page of another origin, such as one in a chat or an alert, may open it: only what holds no data.</param>
    /// <param name="own">A policy that the endpoint has itself: it lets in none whom the policy of all endpoints would not let in. <c>null</c> for none.</param>
    public static RequestDelegate Guard(RequestDelegate answer, bool isOpenedByLinks = false, IAuthorizeData? own = null) => http =>
    {
        Protect(http.Response.Headers);
        if (Refusal(http, isOpenedByLinks, own) is { } refusal)
        {
            return RefuseAsync(http, refusal);
        }

        return answer(http);
    };

    /// <summary>Why a request is refused; <c>null</c> where it is answered.</summary>
    private static string? Refusal(HttpContext http, bool isOpenedByLinks, IAuthorizeData? own)
    {
        if (CrossSite.Sent(http) && !(isOpenedByLinks && IsNavigation(http.Request.Headers)))
        {
            return "A page of another origin sent this request. Open the address itself, or use a program that is no browser.";
        }

        // Without a policy the application runs in development: it would not have started otherwise.
        return PolicyRequirement.IsGuarded(http.GetEndpoint(), own) || LocalRequest.Is(http)
            ? null
            : "Without a policy only direct requests from this machine are answered: to localhost or a loopback address, through no proxy. Call RequireAuthorization on what MapWeirDashboard returns to let others in.";
    }

    // A person follows a link, in a window of its own: no frame, no script and no image of another page asks.
    private static bool IsNavigation(IHeaderDictionary headers) =>
        string.Equals(headers["Sec-Fetch-Mode"], "navigate", StringComparison.OrdinalIgnoreCase) && string.Equals(headers["Sec-Fetch-Dest"], "document", StringComparison.OrdinalIgnoreCase);

    private static void Protect(IHeaderDictionary headers)
    {
        headers.ContentSecurityPolicy = ContentPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Opener-Policy"] = "same-origin";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers.CacheControl = "no-store, no-transform";
    }

    private static Task RefuseAsync(HttpContext http, string why)
    {
        http.Response.StatusCode = StatusCodes.Status403Forbidden;
        http.Response.ContentType = "text/plain; charset=utf-8";
        return HttpMethods.IsHead(http.Request.Method) ? Task.CompletedTask : http.Response.WriteAsync(why, http.RequestAborted);
    }
}
