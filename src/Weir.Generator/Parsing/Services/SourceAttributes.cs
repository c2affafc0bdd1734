using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Where ASP.NET Core's attribute on a parameter says that its value is.</summary>
/// <param name="Source">The name of a value of <c>Weir.ParameterSource</c>; <see cref="SourceAttributes.Services"/> for a service.</param>
/// <param name="Name">What callers write; <c>null</c> for the parameter's name.</param>
/// <param name="Attribute">The attribute.</param>
internal sealed record SourceAttribute(string Source, string? Name, AttributeData Attribute);

/// <summary>The attributes of ASP.NET Core that say where a parameter's value is.</summary>
internal static class SourceAttributes
{
    /// <summary>The source of a parameter that the container supplies.</summary>
    public const string Services = "Services";

    private const string Metadata = "Microsoft.AspNetCore.Http.Metadata";
    private const string Mvc = "Microsoft.AspNetCore.Mvc";

    /// <summary>The first of them on a parameter; <c>null</c> without one.</summary>
    public static SourceAttribute? Of(ISymbol parameter) => All(parameter).FirstOrDefault();

    /// <summary>All of them on a parameter.</summary>
    public static IEnumerable<SourceAttribute> All(ISymbol parameter)
    {
        foreach (var attribute in parameter.GetAttributes())
        {
            if (attribute.AttributeClass is { } type && SourceOf(type) is { } source)
            {
                yield return new SourceAttribute(source, source == Services ? null : attribute.Named("Name") as string, attribute);
            }
        }
    }

    /// <summary>The source that an attribute's type stands for; <c>null</c> for any other attribute.</summary>
    public static string? SourceOf(INamedTypeSymbol type) => type switch
    {
        _ when IsAny(type, "IFromQueryMetadata", "FromQueryAttribute") => "Query",
        _ when IsAny(type, "IFromRouteMetadata", "FromRouteAttribute") => "Route",
        _ when IsAny(type, "IFromHeaderMetadata", "FromHeaderAttribute") => "Header",
        _ when IsAny(type, "IFromBodyMetadata", "FromBodyAttribute") => "Body",
        _ when IsAny(type, "IFromFormMetadata", "FromFormAttribute") => "Form",
        _ when IsAny(type, "IFromServiceMetadata", "FromServicesAttribute") || IsKeyed(type) => Services,
        _ => null,
    };

    /// <summary>Whether the attribute names the key of a service.</summary>
    public static bool IsKeyed(INamedTypeSymbol? type) => type.Is("Microsoft.Extensions.DependencyInjection", "FromKeyedServicesAttribute");

    // A contract for netstandard2.0 has the attribute of MVC 2, which implements none of the interfaces.
    private static bool IsAny(INamedTypeSymbol type, string metadata, string attribute) => type.IsOrImplements(Metadata, metadata) || type.Is(Mvc, attribute);
}
