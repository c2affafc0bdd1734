using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// The first checks of a request for an operation: the verb, then the origin. Immutable; used concurrently.
/// </summary>
/// <param name="operation">The operation.</param>
/// <param name="verbs">What is accepted at the path of the request.</param>
internal sealed class RequestGuard(Operation operation, Verbs verbs)
{
    private readonly AllowedVerbs _verbs = new(verbs);

    /// <summary>Whether the request passes, as nearly all do. <c>false</c> leaves the decision to <see cref="TryAnswerAsync"/>.</summary>
    internal bool Passes(HttpContext http)
    {
        var method = http.Request.Method;
        return _verbs.Contains(method) && (AllowedVerbs.IsSafe(method) || !CrossSite.Sent(http));
    }

    /// <summary>Answers a request that is refused; <c>false</c> for one that may continue.</summary>
    internal async ValueTask<bool> TryAnswerAsync(HttpContext http)
    {
        // 1. The verb.
        var method = http.Request.Method;
        if (!_verbs.Contains(method))
        {
            await AnswerVerbAsync(http);
            return true;
        }

        // 2. The origin: a page of another site may only read.
        if (AllowedVerbs.IsSafe(method) || !CrossSite.Sent(http) || await CrossSite.IsAllowedAsync(http))
        {
            return false;
        }

        await ProblemResponse.WriteAsync(http, new Problem(
            403,
            WeirCodes.CrossSiteRefused,
            $"A page of another site sent {method} to {operation}. If that is intended, allow its origin by the endpoint's CORS metadata (RequireCors) or the default CORS policy. Behind a proxy, the ForwardedHeaders middleware must restore the scheme and host that the browser used."));
        return true;
    }

    /// <summary>Answers OPTIONS, and refuses any other verb.</summary>
    internal Task AnswerVerbAsync(HttpContext http)
    {
        var method = http.Request.Method;
        if (!HttpMethods.IsOptions(method))
        {
            var problem = new Problem(405, WeirCodes.MethodNotAllowed, $"{operation} accepts {_verbs.Header}, not {method}.");
            return ProblemResponse.WriteAsync(http, problem with { Allow = _verbs.Header });
        }

        http.Response.StatusCode = StatusCodes.Status204NoContent;
        http.Response.Headers.Allow = _verbs.Header;
        return Task.CompletedTask;
    }
}
