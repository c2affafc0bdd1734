using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>Recognises served classes and contracts by their marks.</summary>
internal static class MarkedTypes
{
    /// <summary>The marks of a served class; of several, the first one in this order counts.</summary>
    public static readonly string[] Marks = ["ServiceAttribute", "IsolatedAttribute", "BlockingAttribute"];

    /// <summary>Whether a class has a mark of its own.</summary>
    public static bool IsServed(INamedTypeSymbol type) => Marks.Any(mark => type.Weir(mark) is not null);

    /// <summary>Whether the type is an interface marked as a service.</summary>
    public static bool IsContract(INamedTypeSymbol type) => type.TypeKind == TypeKind.Interface && type.Weir("ServiceAttribute") is not null;
}
