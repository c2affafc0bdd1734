using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing;

/// <summary>Reads attributes of symbols.</summary>
internal static class Attributes
{
    /// <summary>The symbol's own attribute of Weir; <c>null</c> when it has none.</summary>
    public static AttributeData? Weir(this ISymbol symbol, string name) =>
        symbol.GetAttributes().FirstOrDefault(attribute => attribute.AttributeClass.IsWeir(name));

    /// <summary>The symbol's own attribute of a namespace; <c>null</c> when it has none.</summary>
    public static AttributeData? Of(this ISymbol symbol, string @namespace, string name) =>
        symbol.GetAttributes().FirstOrDefault(attribute => attribute.AttributeClass.Is(@namespace, name));

    /// <summary>The attribute on the class or on a base class of it: these are inherited.</summary>
    public static AttributeData? Inherited(this INamedTypeSymbol type, string name) =>
        type.SelfAndBases().Select(self => self.Weir(name)).FirstOrDefault(static attribute => attribute is not null);

    /// <summary>The attribute on the method or on a method it overrides: these are inherited.</summary>
    public static AttributeData? Inherited(this IMethodSymbol method, string name) =>
        method.SelfAndOverridden().Select(self => self.Weir(name)).FirstOrDefault(static attribute => attribute is not null);

    /// <summary>The method and the methods it overrides, the method first.</summary>
    public static IEnumerable<IMethodSymbol> SelfAndOverridden(this IMethodSymbol method)
    {
        for (var current = method; current is not null; current = current.OverriddenMethod)
        {
            yield return current;
        }
    }

    /// <summary>The first constructor argument as text.</summary>
    public static string? Text(this AttributeData attribute) =>
        attribute.ConstructorArguments.Length > 0 ? attribute.ConstructorArguments[0].Value as string : null;

    /// <summary>The first constructor argument as a type: <c>typeof(…)</c>.</summary>
    public static INamedTypeSymbol? Type(this AttributeData attribute) =>
        attribute.ConstructorArguments.Length > 0 && attribute.ConstructorArguments[0] is { Kind: TypedConstantKind.Type, Value: INamedTypeSymbol type } ? type : null;

    /// <summary>A named argument's value.</summary>
    public static object? Named(this AttributeData attribute, string name) =>
        attribute.NamedArguments.FirstOrDefault(argument => argument.Key == name).Value.Value;

    /// <summary>The place of the attribute; that of the symbol if the attribute is not in source.</summary>
    public static Location? Place(this AttributeData attribute, ISymbol symbol) =>
        attribute.ApplicationSyntaxReference is { } reference
            ? Location.Create(reference.SyntaxTree, reference.Span)
            : symbol.Locations.FirstOrDefault();

    /// <summary>An attribute as it is written.</summary>
    public static string Brackets(AttributeData attribute)
    {
        var name = attribute.AttributeClass!.Name;
        return "[" + (name.EndsWith("Attribute", StringComparison.Ordinal) ? name.Substring(0, name.Length - "Attribute".Length) : name) + "]";
    }
}
