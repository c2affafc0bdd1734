using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Weir.Generator.Parsing.Types;

/// <summary>Writes constants as C# expressions, independent of the culture.</summary>
internal static class DefaultValues
{
    /// <summary>A parameter's default; <c>null</c> where C# has no expression for it.</summary>
    public static string? Of(IParameterSymbol parameter)
    {
        if (parameter.ExplicitDefaultValue is not { } value)
        {
            return TypeNames.IsNullable(parameter.Type) ? "null" : parameter.Type.IsValueType ? "default" : "null!";
        }

        return Of(parameter.Type, value);
    }

    /// <summary>A constant of a type; <c>null</c> where C# has no expression for it.</summary>
    public static string? Of(ITypeSymbol type, object value)
    {
        var core = TypeNames.Core(type);
        return core.TypeKind == TypeKind.Enum ? $"({TypeNames.ForCode(core)})({Literal(value)})" : Literal(value);
    }

    /// <summary>A constant of a built-in type; <c>null</c> for any other.</summary>
    public static string? Literal(object value) => value switch
    {
        bool flag => flag ? "true" : "false",
        string text => SymbolDisplay.FormatLiteral(text, quote: true),
        char character => SymbolDisplay.FormatLiteral(character, quote: true),
        float.NaN => "float.NaN",
        float.PositiveInfinity => "float.PositiveInfinity",
        float.NegativeInfinity => "float.NegativeInfinity",
        float number => number.ToString("G9", CultureInfo.InvariantCulture) + "F",
        double.NaN => "double.NaN",
        double.PositiveInfinity => "double.PositiveInfinity",
        double.NegativeInfinity => "double.NegativeInfinity",
        double number => number.ToString("G17", CultureInfo.InvariantCulture) + "D",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "M",
        uint number => number.ToString(CultureInfo.InvariantCulture) + "U",
        long number => number.ToString(CultureInfo.InvariantCulture) + "L",
        ulong number => number.ToString(CultureInfo.InvariantCulture) + "UL",
        sbyte or byte or short or ushort or int => ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture),
        _ => null,
    };
}
