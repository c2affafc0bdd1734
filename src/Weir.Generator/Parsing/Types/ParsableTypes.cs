using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>The types that parse their own text, as ASP.NET Core binds them: <c>IParsable&lt;T&gt;</c>, or a static <c>TryParse</c>.</summary>
internal static class ParsableTypes
{
    /// <summary>An expression for the scalar of a type; <c>null</c> for a type that parses no text.</summary>
    public static string? Scalar(ITypeSymbol type)
    {
        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct, IsRefLikeType: false, IsUnboundGenericType: false } named)
        {
            return null;
        }

        if (named.Is("System", "Uri"))
        {
            return "global::Weir.Runtime.Scalars.Uri";
        }

        var code = TypeNames.ForCode(named);
        if (named.AllInterfaces.Any(one => SymbolEqualityComparer.Default.Equals(one.ArgumentOf("System", "IParsable`1"), named)))
        {
            return $"global::Weir.Runtime.ParsedScalar.OfParsable<{code}>({(IsWritten(named) ? "" : "isWritten: false")})";
        }

        var methods = named.GetMembers("TryParse").OfType<IMethodSymbol>().Where(static one => one is { IsStatic: true, IsGenericMethod: false, DeclaredAccessibility: Accessibility.Public, ReturnType.SpecialType: SpecialType.System_Boolean }).ToList();
        var provider = methods.Exists(one => one.Parameters.Length == 3 && IsText(one.Parameters[0]) && one.Parameters[1].Type.Is("System", "IFormatProvider") && IsValue(one.Parameters[2], named));
        return !provider && !methods.Exists(one => one.Parameters.Length == 2 && IsText(one.Parameters[0]) && IsValue(one.Parameters[1], named))
            ? null
            : $"global::Weir.Runtime.ParsedScalar.Of<{code}>(static (string text, out {code} value) => {code}.TryParse(text, {(provider ? "global::System.Globalization.CultureInfo.InvariantCulture, " : "")}out value!){(IsWritten(named) ? "" : ", isWritten: false")})";
    }

    /// <summary>
    /// Whether a type that parses its text also writes it: it is <c>IFormattable</c>, or code that a person wrote overrides <c>ToString</c>. The text
    /// of a record's own is <c>Point { X = 1 }</c>, and that of an object its type's name.
    /// </summary>
    public static bool IsWritten(INamedTypeSymbol type) =>
        type.AllInterfaces.Any(static one => one.Is("System", "IFormattable"))
        || type.SelfAndBases().Where(static one => one.SpecialType is not (SpecialType.System_Object or SpecialType.System_ValueType))
            .SelectMany(static one => one.GetMembers("ToString").OfType<IMethodSymbol>())
            .FirstOrDefault(static one => one is { IsStatic: false, IsOverride: true, Parameters.Length: 0 }) is { IsImplicitlyDeclared: false } own
        && own.Of("System.Runtime.CompilerServices", "CompilerGeneratedAttribute") is null;

    private static bool IsText(IParameterSymbol parameter) => parameter is { RefKind: RefKind.None, Type.SpecialType: SpecialType.System_String };

    private static bool IsValue(IParameterSymbol parameter, ITypeSymbol type) => parameter.RefKind == RefKind.Out && SymbolEqualityComparer.Default.Equals(parameter.Type, type);
}
