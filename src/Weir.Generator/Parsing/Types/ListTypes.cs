using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>The types that represent a JSON array: arrays, <c>List&lt;T&gt;</c>, and interfaces that it implements.</summary>
internal static class ListTypes
{
    /// <summary>The element's type; <c>null</c> when the type is not a list.</summary>
    public static ITypeSymbol? ElementOf(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol { Rank: 1 } array => array.ElementType,
        INamedTypeSymbol { TypeArguments.Length: 1 } named when named.IsIn("System.Collections.Generic") && named.MetadataName
            is "List`1" or "IReadOnlyList`1" or "IReadOnlyCollection`1" or "IList`1" or "ICollection`1" or "IEnumerable`1" => named.TypeArguments[0],
        _ => null,
    };

    /// <summary>Whether the type is a collection of any kind.</summary>
    public static bool IsCollection(ITypeSymbol type) =>
        type is IArrayTypeSymbol || type.SpecialType == SpecialType.System_Collections_IEnumerable
        || type.AllInterfaces.Any(static one => one.SpecialType == SpecialType.System_Collections_IEnumerable);
}
