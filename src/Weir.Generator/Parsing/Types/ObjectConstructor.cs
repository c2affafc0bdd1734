using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>Chooses the constructor that makes an exchanged object from its members.</summary>
internal static class ObjectConstructor
{
    /// <summary>
    /// The marked one; otherwise, as the serializer does, one without parameters that is declared; otherwise the one whose parameters are all properties, with the most parameters. That is the
    /// primary constructor of a record, and the only one of most classes.
    /// </summary>
    public static IMethodSymbol? Choose(INamedTypeSymbol type, IReadOnlyList<IPropertySymbol> properties, out string refusal)
    {
        var all = type.InstanceConstructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).ToList();
        var marked = all.Where(IsMarked).ToList();
        var candidates = marked.Count > 0 ? marked : all.FindAll(static one => one is { Parameters.Length: 0, IsImplicitlyDeclared: false }) is { Count: 1 } plain ? plain : all;
        var fitting = candidates.Where(one => one.Parameters.All(parameter => properties.Any(property => Matches(parameter, property))))
            .OrderByDescending(static one => one.Parameters.Length)
            .ToList();
        refusal = type.InstanceConstructors.Any(one => one.DeclaredAccessibility != Accessibility.Public && IsMarked(one))
            ? "whose [JsonConstructor] is not public, so generated code cannot call it; make it public"
            : all.Count == 0
            ? "which has no public constructor; add one"
            : marked.Count > 1
                ? "which has more than one [JsonConstructor]; keep one"
                : fitting.Count == 0
                    ? $"whose constructor takes '{WithoutProperty(candidates[0], properties)}', and no public property has that name and type; add one"
                    : fitting.Count > 1 && fitting[0].Parameters.Length == fitting[1].Parameters.Length
                        ? "which has two constructors that fit; mark one [JsonConstructor]"
                        : "";
        return refusal.Length == 0 ? fitting[0] : null;
    }

    /// <summary>Whether a parameter sets a property: same name, ignoring case, and same type.</summary>
    public static bool Matches(IParameterSymbol parameter, IPropertySymbol property) =>
        string.Equals(parameter.Name, property.Name, StringComparison.OrdinalIgnoreCase)
        && parameter.RefKind is RefKind.None or RefKind.In
        && IsOneShape(parameter.Type, property.Type);

    // A list may be read as one type and exposed as another: int[] in, IReadOnlyList<int> out.
    private static bool IsOneShape(ITypeSymbol left, ITypeSymbol right) =>
        SymbolEqualityComparer.Default.Equals(TypeNames.Core(left), TypeNames.Core(right))
        || (ListTypes.ElementOf(left) is { } one && ListTypes.ElementOf(right) is { } other && IsOneShape(one, other));

    private static bool IsMarked(IMethodSymbol constructor) => constructor.Of("System.Text.Json.Serialization", "JsonConstructorAttribute") is not null;

    private static string WithoutProperty(IMethodSymbol constructor, IReadOnlyList<IPropertySymbol> properties) =>
        constructor.Parameters.First(parameter => !properties.Any(property => Matches(parameter, property))).Name;
}
