using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>Decides what an attribute means to the middleware of ASP.NET Core, by the names of its type and interfaces.</summary>
internal static class EndpointAttributes
{
    private static readonly (string Namespace, string Name)[] PolicyTypes =
    [
        ("Microsoft.AspNetCore.RateLimiting", "EnableRateLimitingAttribute"),
        ("Microsoft.AspNetCore.RateLimiting", "DisableRateLimitingAttribute"),
        ("Microsoft.AspNetCore.Http.Timeouts", "RequestTimeoutAttribute"),
        ("Microsoft.AspNetCore.Http.Timeouts", "DisableRequestTimeoutAttribute"),
        ("Microsoft.AspNetCore.OutputCaching", "OutputCacheAttribute"),
        ("Microsoft.AspNetCore.Authorization", "IAuthorizeData"),
        ("Microsoft.AspNetCore.Authorization", "IAuthorizationRequirementData"),
        ("Microsoft.AspNetCore.Authorization", "IAllowAnonymous"),
        ("Microsoft.AspNetCore.Cors.Infrastructure", "ICorsMetadata"),
        ("Microsoft.AspNetCore.Http.Metadata", "IRequestSizeLimitMetadata"),
        ("Microsoft.AspNetCore.OutputCaching", "IOutputCachePolicy"),
        ("Microsoft.AspNetCore.Antiforgery", "IAntiforgeryMetadata"),
    ];

    /// <summary>Whether it demands an authorized caller.</summary>
    public static bool IsAuthorization(INamedTypeSymbol type) =>
        type.IsOrImplements("Microsoft.AspNetCore.Authorization", "IAuthorizeData")
        || type.IsOrImplements("Microsoft.AspNetCore.Authorization", "IAuthorizationRequirementData")
        || (type.TypeKind == TypeKind.Error && type.Is("Microsoft.AspNetCore.Authorization", "AuthorizeAttribute"));

    /// <summary>Whether it admits anonymous callers.</summary>
    public static bool IsAnonymous(INamedTypeSymbol type) =>
        type.IsOrImplements("Microsoft.AspNetCore.Authorization", "IAllowAnonymous")
        || (type.TypeKind == TypeKind.Error && type.Is("Microsoft.AspNetCore.Authorization", "AllowAnonymousAttribute"));

    /// <summary>
    /// Whether an endpoint without it would be open or unlimited: authorization, CORS, rate limits, request size, timeouts, output
    /// cache, antiforgery. If a type is not found, only its name is known, so every such attribute of ASP.NET Core counts.
    /// </summary>
    public static bool IsPolicy(INamedTypeSymbol type) =>
        type.TypeKind == TypeKind.Error ? type.IsBelow("Microsoft.AspNetCore") : PolicyTypes.Any(one => type.IsOrImplements(one.Namespace, one.Name));

    /// <summary>Whether it has no meaning for an endpoint: written by the compiler, for the debugger, for analyzers, or read by Weir itself.</summary>
    public static bool IsSkipped(INamedTypeSymbol type) =>
        type.IsIn("System.Runtime.CompilerServices")
        || type.IsBelow("System.Diagnostics")
        || type.IsIn("Microsoft.CodeAnalysis")
        || type.Is("System.Reflection", "DefaultMemberAttribute")
        || type.IsIn("Weir")
        || IsConditional(type)
        || (FilterParser.IsFilter(type) && !IsPolicy(type));

    private static bool IsConditional(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.Of("System.Diagnostics", "ConditionalAttribute") is not null)
            {
                return true;
            }
        }

        return false;
    }
}
