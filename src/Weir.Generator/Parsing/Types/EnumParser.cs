using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>Reads the names and numbers of an enum.</summary>
internal static class EnumParser
{
    public static (TypeModel? Model, TypeFailure? Failure) Parse(INamedTypeSymbol type, string codec)
    {
        if (CustomConverter(type) is { } converter)
        {
            return (null, new TypeFailure("", $"{type.Name}, whose converter {converter} generated code does not support; enums are always written as names: remove it") { IsForSerializer = true });
        }

        var isFlags = type.Of("System", "FlagsAttribute") is not null;
        var names = new List<EnumNameModel>();
        var fields = new List<IFieldSymbol>();
        foreach (var field in type.GetMembers().OfType<IFieldSymbol>().Where(static field => field.HasConstantValue))
        {
            var name = WrittenName(field);
            if (Refusal(name, isFlags) is { } refusal)
            {
                return (null, new TypeFailure("." + field.Name, $"written as {SymbolDisplay.FormatLiteral(name, quote: true)}, {refusal}"));
            }

            var bits = Bits(field.ConstantValue!);
            if (names.FindIndex(one => one.Name == name && one.Bits != bits) is >= 0 and var twin)
            {
                return (null, new TypeFailure("." + field.Name, $"written as {SymbolDisplay.FormatLiteral(name, quote: true)}, which is {fields[twin].Name} already; give it another name"));
            }

            names.Add(new EnumNameModel(name, bits));
            fields.Add(field);
        }

        var isUnsigned64 = type.EnumUnderlyingType?.SpecialType == SpecialType.System_UInt64;
        var fallback = type.GetMembers().OfType<IFieldSymbol>().FirstOrDefault(static field => field.HasConstantValue && field.Weir("EnumFallbackAttribute") is not null);
        return (new EnumModel(TypeNames.ForCode(type), codec, names.ToEquatableArray(), isFlags, isUnsigned64) { Fallback = fallback is null ? null : Bits(fallback.ConstantValue!) }, null);
    }

    private static string WrittenName(IFieldSymbol field) =>
        field.Of("System.Text.Json.Serialization", "JsonStringEnumMemberNameAttribute")?.Text()
        ?? field.Of("System.Runtime.Serialization", "EnumMemberAttribute")?.Named("Value") as string
        ?? field.Name;

    private static string? Refusal(string name, bool isFlags) => name switch
    {
        "" => "which is not a name",
        _ when name[0] is >= '0' and <= '9' or '-' => "which cannot be distinguished from a number",
        _ when isFlags && (name.Contains(',') || name.Trim(' ') != name) => "which is ambiguous in a list of flags",
        _ => null,
    };

    // A converter that writes names changes nothing: enums are always written as names.
    public static string? CustomConverter(INamedTypeSymbol type) =>
        type.Of("System.Text.Json.Serialization", "JsonConverterAttribute")?.Type() is { } converter
        && converter.Name != "JsonStringEnumConverter"
            ? converter.Name
            : null;

    private static long Bits(object value) =>
        value is ulong large ? unchecked((long)large) : Convert.ToInt64(value, CultureInfo.InvariantCulture);
}
