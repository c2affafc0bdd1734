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
            return $"global::Weir.Runtime.ParsedScalar.OfParsable<{code}>()";
        }

        var methods = named.GetMembers("TryParse").OfType<IMethodSymbol>().Where(static one => one is { IsStatic: true, IsGenericMethod: false, DeclaredAccessibility: Accessibility.Public, ReturnType.SpecialType: SpecialType.System_Boolean }).ToList();
        var provider = methods.Exists(one => one.Parameters.Length == 3 && IsText(one.Parameters[0]) && one.Parameters[1].Type.Is("System", "IFormatProvider") && IsValue(one.Parameters[2], named));
        return !provider && !methods.Exists(one => one.Parameters.Length == 2 && IsText(one.Parameters[0]) && IsValue(one.Parameters[1], named))
            ? null
            : $"global::Weir.Runtime.ParsedScalar.Of<{code}>(static (string text, out {code} value) => {code}.TryParse(text, {(provider ? "global::System.Globalization.CultureInfo.InvariantCulture, " : "")}out value!))";
    }

    private static bool IsText(IParameterSymbol parameter) => parameter is { RefKind: RefKind.None, Type.SpecialType: SpecialType.System_String };

    private static bool IsValue(IParameterSymbol parameter, ITypeSymbol type) => parameter.RefKind == RefKind.Out && SymbolEqualityComparer.Default.Equals(parameter.Type, type);
}
