using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Refuses requests whose antiforgery token the middleware found invalid. The middleware only records that; ASP.NET Core's own form
/// reader acts on it, but Weir does not use that reader.
/// </summary>
internal static class AntiforgeryCheck
{
    /// <summary>Puts the check before an endpoint whose metadata requires a token.</summary>
    internal static void Apply(EndpointBuilder builder)
    {
        if (builder.RequestDelegate is { } next && builder.Metadata.OfType<IAntiforgeryMetadata>().LastOrDefault() is { RequiresValidation: true })
        {
            builder.RequestDelegate = http => http.Features.Get<IAntiforgeryValidationFeature>() is { IsValid: false } ? RefuseAsync(http) : next(http);
        }
    }

    private static Task RefuseAsync(HttpContext http) => ProblemResponse.WriteAsync(http, new Problem(
        StatusCodes.Status400BadRequest,
        WeirCodes.CrossSiteRefused,
        "The antiforgery token is missing or invalid. Send it in the header that AntiforgeryOptions.HeaderName names, together with its cookie."));
}
