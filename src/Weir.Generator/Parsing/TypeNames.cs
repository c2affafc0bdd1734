using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing;

/// <summary>How types are written: for the compiler, and for people.</summary>
internal static class TypeNames
{
    private static readonly SymbolDisplayFormat Full = SymbolDisplayFormat.FullyQualifiedFormat
        .AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    private static readonly SymbolDisplayFormat Qualified = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: SymbolDisplayMiscellaneousOptions.UseSpecialTypes);

    private static readonly SymbolDisplayFormat Short = SymbolDisplayFormat.MinimallyQualifiedFormat
        .AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    // Without the '@' of a keyword, which is no part of a name.
    private static readonly SymbolDisplayFormat Namespace = new(typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces);

    /// <summary>Fully qualified from <c>global::</c> on, with nullable annotations.</summary>
    public static string ForCode(ITypeSymbol type) => type.ToDisplayString(Full);

    /// <summary>With its namespace, as a log shows it.</summary>
    public static string Plain(ITypeSymbol type) => type.ToDisplayString(Qualified);

    /// <summary>Without namespaces, as a person writes it.</summary>
    public static string ForPeople(ITypeSymbol type) => type.ToDisplayString(Short);

    /// <summary>The name by which a compilation finds the type again.</summary>
    public static string Metadata(INamedTypeSymbol type) =>
        type.ContainingType is { } container
            ? $"{Metadata(container)}+{type.MetadataName}"
            : type.ContainingNamespace.IsGlobalNamespace ? type.MetadataName : $"{type.ContainingNamespace.ToDisplayString(Namespace)}.{type.MetadataName}";

    /// <summary>The type without its outermost nullability.</summary>
    public static ITypeSymbol Core(ITypeSymbol type) =>
        type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable
            ? nullable.TypeArguments[0]
            : type.WithNullableAnnotation(NullableAnnotation.NotAnnotated);

    /// <summary>Whether null is a value by its annotation: <c>T?</c>.</summary>
    public static bool IsNullable(ITypeSymbol type) =>
        type.IsValueType
            ? type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T
            : type.NullableAnnotation == NullableAnnotation.Annotated;

    /// <summary>Whether the type is a reference from code without nullable annotations, which does not declare whether null is allowed.</summary>
    public static bool IsOblivious(ITypeSymbol type) => type is { IsReferenceType: true, NullableAnnotation: NullableAnnotation.None };
}
