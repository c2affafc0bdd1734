using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>The verbs that an operation accepts.</summary>
internal static class VerbParser
{
    /// <summary>The attributes, in the order of the enum <c>Weir.Verbs</c>.</summary>
    public static readonly string[] Attributes = ["GetAttribute", "PostAttribute", "PutAttribute", "DeleteAttribute", "PatchAttribute"];

    /// <summary>What the method names, otherwise what its class or contract names, otherwise the interface that declares it, otherwise POST.</summary>
    public static IReadOnlyList<DeclaredVerb> Of(INamedTypeSymbol type, IMethodSymbol method)
    {
        var named = Named(name => method.Inherited(name));
        if (named.Count == 0)
        {
            // A template belongs to one method; CheckType reports one of a type.
            named = Named(name => type.Inherited(name) ?? method.ContainingType.Inherited(name)).ConvertAll(static one => one with { Template = null });
        }

        return named.Count == 0 ? [new DeclaredVerb("Post", null, null)] : named;
    }

    /// <summary>Reports templates of verbs that a class or a contract names for all its operations.</summary>
    public static void CheckType(Findings findings, INamedTypeSymbol type)
    {
        var naming = type.TypeKind == TypeKind.Interface ? type.AllInterfaces.Append(type) : type.SelfAndBases();
        foreach (var (declaring, verb) in naming.SelectMany(static one => Named(one.Weir), static (one, verb) => (one, verb)).Where(static one => one.verb.Template is not null))
        {
            findings.Report(
                WeirCodes.RouteTemplate, verb.Attribute!.Place(declaring), TypeNames.ForPeople(declaring), verb.Template!,
                $"it would be the route of every operation; write [Service(Route = \"…\")] for what their paths start with, and the template in [{verb.Name}] of a method");
        }
    }

    private static List<DeclaredVerb> Named(Func<string, AttributeData?> find) =>
        [.. Attributes.Select(name => (name, attribute: find(name))).Where(static one => one.attribute is not null)
            .Select(static one => new DeclaredVerb(one.name.Substring(0, one.name.Length - "Attribute".Length), one.attribute!.Text(), one.attribute))];
}

/// <summary>A verb of an operation.</summary>
/// <param name="Name">The name of a value of <c>Weir.Verbs</c>.</param>
/// <param name="Template">The route template as written; <c>null</c> for the operation's name.</param>
/// <param name="Attribute">What names it; <c>null</c> for the POST of an operation that names none.</param>
internal sealed record DeclaredVerb(string Name, string? Template, AttributeData? Attribute)
{
    /// <summary>An expression.</summary>
    public static string Expression(IEnumerable<DeclaredVerb> verbs) => string.Join(" | ", verbs.Select(static one => "global::Weir.Verbs." + one.Name));
}
