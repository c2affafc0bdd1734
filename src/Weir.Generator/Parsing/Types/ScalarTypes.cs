using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>The scalar types, and the member of <c>Weir.Runtime.Scalars</c> that reads and writes each.</summary>
internal static class ScalarTypes
{
    /// <summary>The member of <c>Weir.Runtime.Scalars</c>; <c>null</c> when the type is not one of its scalars.</summary>
    public static string? Find(ITypeSymbol type) => type.SpecialType switch
    {
        SpecialType.System_String => "String",
        SpecialType.System_Boolean => "Boolean",
        SpecialType.System_Byte => "Byte",
        SpecialType.System_SByte => "SByte",
        SpecialType.System_Int16 => "Int16",
        SpecialType.System_UInt16 => "UInt16",
        SpecialType.System_Int32 => "Int32",
        SpecialType.System_UInt32 => "UInt32",
        SpecialType.System_Int64 => "Int64",
        SpecialType.System_UInt64 => "UInt64",
        SpecialType.System_Single => "Single",
        SpecialType.System_Double => "Double",
        SpecialType.System_Decimal => "Decimal",
        SpecialType.System_Char => "Char",
        SpecialType.System_DateTime => "DateTime",
        _ when type is IArrayTypeSymbol { Rank: 1, ElementType.SpecialType: SpecialType.System_Byte } => "Bytes",
        _ when type is INamedTypeSymbol { IsValueType: true } && type.IsIn("System") => type.MetadataName switch
        {
            "Guid" or "DateTimeOffset" or "DateOnly" or "TimeOnly" or "TimeSpan" => type.MetadataName,
            _ => null,
        },
        _ => null,
    };
}
