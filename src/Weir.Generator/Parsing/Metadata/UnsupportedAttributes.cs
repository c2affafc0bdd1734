using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>
/// Attributes of ASP.NET Core on types and methods that only MVC reads. Weir would ignore them, so they are build errors that explain
/// what to write instead.
/// </summary>
internal static class UnsupportedAttributes
{
    private const string Mvc = "Microsoft.AspNetCore.Mvc";

    // An attribute with one of these interfaces has an effect as an MVC filter; the others only describe.
    private static readonly string[] ActingFilters =
    [
        "IActionFilter", "IAsyncActionFilter", "IAuthorizationFilter", "IAsyncAuthorizationFilter", "IResourceFilter", "IAsyncResourceFilter",
        "IResultFilter", "IAsyncResultFilter", "IExceptionFilter", "IAsyncExceptionFilter", "IFilterFactory",
    ];

    // MVC filters of ASP.NET Core whose only effect is on the endpoint's metadata.
    private static readonly (string Namespace, string Name)[] EndpointMeanings =
    [
        ("Microsoft.AspNetCore.Http.Metadata", "IRequestSizeLimitMetadata"),
        ("Microsoft.AspNetCore.Http.Metadata", "IAcceptsMetadata"),
        ("Microsoft.AspNetCore.Http.Metadata", "ISkipStatusCodePagesMetadata"),
    ];

    /// <summary>Reports every such attribute of a level.</summary>
    public static void Check(Findings findings, IEnumerable<IReadOnlyList<PlacedAttribute>> levels)
    {
        foreach (var one in levels.SelectMany(static level => level))
        {
            if (Advice(one) is { } advice)
            {
                findings.Report(WeirCodes.UnsupportedAttribute, one.Place, one.Owner, one.Brackets, advice);
            }
        }
    }

    /// <summary>What to write instead; <c>null</c> for an attribute that is supported or unknown.</summary>
    public static string? Advice(PlacedAttribute placed)
    {
        var type = placed.Attribute.AttributeClass!;
        var isOnType = placed.Symbol is INamedTypeSymbol;
        if (type.IsIn(Mvc) && Named(type.Name, placed.Attribute, isOnType) is { } advice)
        {
            return advice;
        }

        return type switch
        {
            _ when type.IsOrImplements(Mvc + ".Routing", "IRouteTemplateProvider") || type.IsOrImplements(Mvc + ".Routing", "IActionHttpMethodProvider") =>
                "write [Get], [Post], [Put], [Delete] or [Patch], with the route template as its argument",
            _ when type.IsOrImplements(Mvc + ".Routing", "IRouteValueProvider") => "remove it, and give the prefix to MapWeir(\"/…\")",
            _ when type.IsOrImplements("Microsoft.AspNetCore.Http.Metadata", "IFormOptionsMetadata") => "write [RequestSizeLimit], which limits forms too",
            _ when MediaTypeAttributes.Contain(placed.Attribute) => null,
            _ when IsActingFilter(type) => "it is an MVC filter, and only MVC runs those; derive a filter from OperationFilterAttribute",
            _ when type.IsOrImplements(Mvc + ".ActionConstraints", "IActionConstraintMetadata") && !type.IsOrImplements("Microsoft.AspNetCore.Http.Metadata", "IAcceptsMetadata") =>
                "it is an MVC action constraint, and only MVC evaluates those; decide in the operation, or declare two operations",
            _ when type.AllInterfaces.Any(static one => one.Name is "IControllerModelConvention" or "IActionModelConvention" && one.IsIn(Mvc + ".ApplicationModels")) =>
                "it is an MVC convention, and only MVC applies those; add a convention to what MapWeir returns",
            _ => null,
        };
    }

    private static string? Named(string name, AttributeData attribute, bool isOnType) => name switch
    {
        "HttpGetAttribute" => Verb("Get", attribute),
        "HttpPutAttribute" => Verb("Put", attribute),
        "HttpDeleteAttribute" => Verb("Delete", attribute),
        "HttpPatchAttribute" => Verb("Patch", attribute),
        "HttpPostAttribute" => Verb("Post", attribute),
        "HttpHeadAttribute" => "write [Get], which answers HEAD too",
        "HttpOptionsAttribute" => "remove it: every operation answers OPTIONS",
        "RouteAttribute" when attribute.Text() is { } template && template.Contains('[') => $"write {(isOnType ? "[Service(Route = \"…\")]" : "[Get(\"…\")], or another verb,")} with its template, and the name in place of {template.Substring(template.IndexOf('['))}",
        "RouteAttribute" => isOnType ? $"write [Service(Route = \"{attribute.Text()}\")]" : $"write the template in the verb: [Get(\"{attribute.Text()}\")], [Post(\"{attribute.Text()}\")] …",
        "ActionNameAttribute" => $"write [Operation(\"{attribute.Text()}\")]",
        "NonActionAttribute" => "write [IgnoreOperation]",
        "NonControllerAttribute" => "remove [Service] from a class that is not served",
        "ApiControllerAttribute" => "remove it: binding errors are answered with 400 without it",
        "BindPropertiesAttribute" => "remove it: operations take parameters, and properties of the class are not bound",
        "ValidateAntiForgeryTokenAttribute" or "AutoValidateAntiforgeryTokenAttribute" => "write [RequireAntiforgeryToken]",
        "IgnoreAntiforgeryTokenAttribute" => "write [RequireAntiforgeryToken(false)]",
        "ResponseCacheAttribute" => "write [OutputCache], or set Cache-Control in OperationContext.Headers",
        "RequireHttpsAttribute" => "remove it, and call app.UseHttpsRedirection()",
        "ProducesAttribute" when isOnType => "write it on the methods whose results are bytes; the others have their formats",
        _ => null,
    };

    private static string Verb(string verb, AttributeData attribute) => attribute.Text() is { } template ? $"write [{verb}(\"{template}\")]" : $"write [{verb}]";

    // An attribute of ASP.NET Core that is both filter and endpoint metadata works as metadata. A filter that an application adds
    // is code that would never run, even on a class derived from [Authorize].
    private static bool IsActingFilter(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            var isOwn = !current.IsBelow("Microsoft.AspNetCore");
            var acting = (isOwn ? current.Interfaces.SelectMany(static one => one.AllInterfaces.Append(one)) : current.AllInterfaces)
                .Any(static one => ActingFilters.Contains(one.Name) && one.IsIn(Mvc + ".Filters"));
            if (acting && (isOwn || !EndpointMeanings.Any(one => current.IsOrImplements(one.Namespace, one.Name))))
            {
                return true;
            }
        }

        return false;
    }
}
