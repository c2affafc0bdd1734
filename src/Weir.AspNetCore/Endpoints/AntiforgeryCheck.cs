using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Refuses requests whose antiforgery token the middleware found invalid. The middleware only records that; ASP.NET Core's own form
/// reader acts on it, but Weir does not use that reader. Where a form is read while it arrives, the middleware would read all of it for the token: there the token
/// is taken from the header only, and checked here.
/// </summary>
internal static class AntiforgeryCheck
{
    /// <summary>Puts the check before an endpoint whose metadata requires a token.</summary>
    internal static void Apply(EndpointBuilder builder)
    {
        if (builder.RequestDelegate is not { } next || builder.Metadata.OfType<IAntiforgeryMetadata>().LastOrDefault() is not { RequiresValidation: true })
        {
            return;
        }

        if (builder.Metadata.OfType<Operation>().FirstOrDefault() is { ContentParameter.Source: ParameterSource.File } operation)
        {
            builder.Metadata.Add(new CheckedHere());
            builder.RequestDelegate = http => CheckHeaderAsync(http, operation, next);
        }
        else
        {
            builder.RequestDelegate = http => http.Features.Get<IAntiforgeryValidationFeature>() is { IsValid: false } ? RefuseAsync(http) : next(http);
        }
    }

    private static async Task CheckHeaderAsync(HttpContext http, Operation operation, RequestDelegate next)
    {
        // As the middleware: reads need no token.
        if (!HttpMethods.IsPost(http.Request.Method) && !HttpMethods.IsPut(http.Request.Method) && !HttpMethods.IsPatch(http.Request.Method))
        {
            await next(http);
            return;
        }

        var antiforgery = http.RequestServices.GetService<IAntiforgery>()
            ?? throw new InvalidOperationException($"{operation} requires an antiforgery token, and the services that check it are not registered; call AddAntiforgery().");
        var header = http.RequestServices.GetRequiredService<IOptions<AntiforgeryOptions>>().Value.HeaderName;
        if (string.IsNullOrEmpty(header) || string.IsNullOrEmpty(http.Request.Headers[header]))
        {
            await ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status400BadRequest,
                WeirCodes.CrossSiteRefused,
                "The antiforgery token is missing. Send it in the header that AntiforgeryOptions.HeaderName names, together with its cookie: the form is read while it arrives, so a token in one of its fields is not read."));
            return;
        }

        await (await antiforgery.IsRequestValidAsync(http) ? next(http) : RefuseAsync(http));
    }

    private static Task RefuseAsync(HttpContext http) => ProblemResponse.WriteAsync(http, new Problem(
        StatusCodes.Status400BadRequest,
        WeirCodes.CrossSiteRefused,
        "The antiforgery token is missing or invalid. Send it in the header that AntiforgeryOptions.HeaderName names, together with its cookie."));

    /// <summary>Replaces what requires a token of the middleware.</summary>
    private sealed class CheckedHere : IAntiforgeryMetadata
    {
        public bool RequiresValidation => false;
    }
}
