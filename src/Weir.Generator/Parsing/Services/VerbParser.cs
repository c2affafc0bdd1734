using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>The verbs that an operation accepts.</summary>
internal static class VerbParser
{
    /// <summary>The attributes, in the order of the enum <c>Weir.Verbs</c>.</summary>
    public static readonly string[] Attributes = ["GetAttribute", "PostAttribute", "PutAttribute", "DeleteAttribute", "PatchAttribute"];

    /// <summary>What the method names, otherwise what its class or contract names, otherwise POST: names of values of <c>Weir.Verbs</c>.</summary>
    public static IReadOnlyList<string> Of(INamedTypeSymbol type, IMethodSymbol method)
    {
        var named = Named(name => method.Inherited(name));
        if (named.Count == 0)
        {
            named = Named(name => type.Inherited(name));
        }

        return named.Count == 0 ? ["Post"] : named;
    }

    private static List<string> Named(Func<string, AttributeData?> find) =>
        [.. Attributes.Where(name => find(name) is not null).Select(static name => name.Substring(0, name.Length - "Attribute".Length))];
}
