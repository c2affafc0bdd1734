using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Validation;

/// <summary>Which validation attributes generated code can construct and evaluate without reflection.</summary>
internal static class ValidationRules
{
    public const string Annotations = "System.ComponentModel.DataAnnotations";

    private static readonly string[] LengthAttributes = ["MinLengthAttribute", "MaxLengthAttribute", "LengthAttribute"];

    /// <summary>Whether the attribute is a validation attribute.</summary>
    public static bool IsValidation(AttributeData attribute) => attribute.AttributeClass?.IsOrImplements(Annotations, "ValidationAttribute") == true;

    /// <summary>Whether validation does not enter the parameter, member or type.</summary>
    public static bool IsSkipped(ISymbol symbol) =>
        symbol.Of("Microsoft.AspNetCore.Mvc.ModelBinding.Validation", "ValidateNeverAttribute") is not null
        || symbol.Of("Microsoft.Extensions.Validation", "SkipValidationAttribute") is not null;

    /// <summary>Whether the constructor is one of those that warn of reflection, which strings, arrays and ICollection do not need.</summary>
    public static bool ReadsLength(AttributeData attribute) => LengthAttributes.Any(name => attribute.AttributeClass.Is(Annotations, name));

    /// <summary>Why the attribute cannot be evaluated, and what to write instead; <c>null</c> where it can.</summary>
    /// <param name="compilation">The compilation that gets the generated code.</param>
    /// <param name="attribute">The attribute.</param>
    /// <param name="value">The type of what it is on; <c>null</c> where it is on a type.</param>
    public static string? Refusal(Compilation compilation, AttributeData attribute, ITypeSymbol? value)
    {
        if (AttributeCode.Obstacle(compilation, attribute) is { } obstacle)
        {
            return obstacle;
        }

        var type = attribute.AttributeClass!;
        return type switch
        {
            _ when type.IsOrImplements(Annotations, "CompareAttribute") => "it reads the other member by reflection; implement IValidatableObject and compare the two members there",
            _ when type.IsOrImplements(Annotations, "CustomValidationAttribute") => "it calls its method by reflection; derive an attribute from ValidationAttribute, or implement IValidatableObject",
            _ when attribute.NamedArguments.Any(static one => one.Key is "ErrorMessageResourceType" or "ErrorMessageResourceName") =>
                "it reads its message by reflection; set ErrorMessage, or derive an attribute and override FormatErrorMessage",
            _ when type.IsOrImplements(Annotations, "RangeAttribute") && attribute.ConstructorArguments.FirstOrDefault().Kind == TypedConstantKind.Type =>
                "it converts its limits by reflection; write numbers, as in [Range(0.5, 10)], or derive an attribute from ValidationAttribute",
            _ when IsLength(type) && value is not null && !HasLength(TypeNames.Core(value)) =>
                $"it reads the length of {TypeNames.ForPeople(TypeNames.Core(value))} by reflection; take T[] or List<T>, or derive an attribute from ValidationAttribute",
            _ when !ReadsLength(attribute) && (NeedsReflection(type) || NeedsReflection(attribute.AttributeConstructor!)) =>
                "its type or constructor is marked as not safe for trimming; derive an attribute from ValidationAttribute that uses no reflection",
            _ => null,
        };
    }

    /// <summary>The name of a parameter, member or type in messages; an attribute that reads it from resources is the refusal.</summary>
    public static string DisplayName(IEnumerable<ISymbol> symbols, string name, out AttributeData? refused)
    {
        refused = null;
        foreach (var symbol in symbols)
        {
            if (symbol.Of(Annotations, "DisplayAttribute") is { } display)
            {
                refused = display.Named("ResourceType") is not null ? display : null;
                if (display.Named("Name") is string { Length: > 0 } shown)
                {
                    return shown;
                }
            }

            if (symbol.Of("System.ComponentModel", "DisplayNameAttribute")?.Text() is { Length: > 0 } named)
            {
                return named;
            }
        }

        return name;
    }

    private static bool IsLength(INamedTypeSymbol type) => LengthAttributes.Any(name => type.IsOrImplements(Annotations, name));

    // A value of one of the interfaces is a List<T>, a Dictionary or an array when a caller sends it: all of them are ICollection.
    private static bool HasLength(ITypeSymbol type) =>
        type.SpecialType == SpecialType.System_String || type is IArrayTypeSymbol
        || (type.TypeKind == TypeKind.Interface && (ListTypes.ElementOf(type) is not null || type.MetadataName is "IDictionary`2" or "IReadOnlyDictionary`2" or "ICollection"))
        || type.AllInterfaces.Any(static one => one.Is("System.Collections", "ICollection"));

    private static bool NeedsReflection(ISymbol symbol) =>
        symbol.Of("System.Diagnostics.CodeAnalysis", "RequiresUnreferencedCodeAttribute") is not null || symbol.Of("System.Diagnostics.CodeAnalysis", "RequiresDynamicCodeAttribute") is not null;
}
