using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>An attribute and the symbol that carries it.</summary>
/// <param name="Symbol">The type or method.</param>
/// <param name="Attribute">The attribute.</param>
internal sealed record PlacedAttribute(ISymbol Symbol, AttributeData Attribute)
{
    /// <summary>The place of the attribute.</summary>
    public Location? Place => Attribute.Place(Symbol);

    /// <summary>The attribute as it is written.</summary>
    public string Brackets => Attributes.Brackets(Attribute);

    /// <summary>The symbol as people name it: a type, or a type and its method.</summary>
    public string Owner => Symbol is INamedTypeSymbol type
        ? TypeNames.ForPeople(type)
        : $"{TypeNames.ForPeople(Symbol.ContainingType)}.{Symbol.Name}";
}

/// <summary>Collects the attributes of a symbol and of what it inherits from, by the rules of <c>AttributeUsage</c>.</summary>
internal static class AttributeChain
{
    /// <summary>The attributes by level, the farthest level first.</summary>
    /// <param name="chain">The symbol, then what it inherits from, the nearest first.</param>
    public static IReadOnlyList<IReadOnlyList<PlacedAttribute>> Levels(IEnumerable<ISymbol> chain)
    {
        var levels = new List<IReadOnlyList<PlacedAttribute>>();
        var single = new HashSet<INamedTypeSymbol>(SymbolEqualityComparer.Default);
        foreach (var symbol in chain)
        {
            var isOwn = levels.Count == 0;
            var level = symbol.GetAttributes()
                .Where(one => one.AttributeClass is { } type && (isOwn || IsInherited(type)) && !single.Contains(type))
                .Select(one => new PlacedAttribute(symbol, one)).ToList();

            // Only after the level: the compiler itself reports two on one symbol.
            single.UnionWith(level.Select(static one => one.Attribute.AttributeClass!).Where(static one => !AllowsMultiple(one)));
            levels.Add(level);
        }

        levels.Reverse();
        return levels;
    }

    private static bool IsInherited(INamedTypeSymbol type) => Usage(type)?.Named("Inherited") is not false;

    private static bool AllowsMultiple(INamedTypeSymbol type) => Usage(type)?.Named("AllowMultiple") is true;

    private static AttributeData? Usage(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.Of("System", "AttributeUsageAttribute") is { } usage)
            {
                return usage;
            }
        }

        return null;
    }
}
