using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parser;

/// <summary>Tells served classes and contracts by their marks.</summary>
internal static class MarkedTypes
{
    /// <summary>What marks a class as served, in the order in which one of them speaks for it.</summary>
    public static readonly string[] Marks = ["ServiceAttribute", "IsolatedAttribute", "BlockingAttribute"];

    /// <summary>Whether a class carries a mark of its own.</summary>
    public static bool IsServed(INamedTypeSymbol type) => Marks.Any(mark => type.Weir(mark) is not null);

    /// <summary>Whether the type is an interface marked as a service.</summary>
    public static bool IsContract(INamedTypeSymbol type) => type.TypeKind == TypeKind.Interface && type.Weir("ServiceAttribute") is not null;
}
