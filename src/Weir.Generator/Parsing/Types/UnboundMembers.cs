using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>Finds the members that System.Text.Json would read or write and generated code would not.</summary>
internal static class UnboundMembers
{
    private const string Json = "System.Text.Json.Serialization";

    // A value of JsonIgnoreCondition, which the generator's own framework does not have; the default.
    private const int JsonIgnoreAlways = 1;

    /// <summary>The first such member of the type and its base classes, and what to do; <c>null</c> without one.</summary>
    /// <param name="type">A type that is exchanged.</param>
    /// <param name="constructor">What makes it.</param>
    /// <param name="setsRequired">Whether the constructor sets the required members.</param>
    public static TypeFailure? Find(INamedTypeSymbol type, IMethodSymbol constructor, bool setsRequired)
    {
        var names = new HashSet<string>();
        foreach (var level in type.SelfAndBases().DefaultIfEmpty(type))
        {
            foreach (var member in level.GetMembers().Where(static one => !one.IsStatic && one is (IPropertySymbol { IsIndexer: false } or IFieldSymbol { IsImplicitlyDeclared: false })))
            {
                // A derived member of the same name hides it.
                if (!names.Add(member.Name))
                {
                    continue;
                }

                if (!setsRequired && Unset(member) is { } unset)
                {
                    return new TypeFailure("." + member.Name, unset);
                }

                if (!IsIgnored(member) && Reason(member, constructor, setsRequired) is { } reason)
                {
                    return new TypeFailure("." + member.Name, reason) { IsForSerializer = true };
                }
            }
        }

        return type.AllInterfaces.FirstOrDefault(static one => one.IsIn(Json) && one.Name.StartsWith("IJsonOn", StringComparison.Ordinal)) is { } callback
            ? new TypeFailure("", $"{type.Name}, whose {callback.Name} generated code does not call; remove it, and do its work in a constructor or a property") { IsForSerializer = true }
            : null;
    }

    // The serializer does not set such a member either.
    private static string? Unset(ISymbol member) => member switch
    {
        IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true } when IsIgnored(member) =>
            "ignored, but the object cannot be created without it; remove [JsonIgnore], or 'required'",
        IPropertySymbol { IsRequired: true } property when property.DeclaredAccessibility != Accessibility.Public || !IsPublic(property.SetMethod) =>
            "required, and a caller cannot set it; make the property and its setter public, or remove 'required'",
        IFieldSymbol { IsRequired: true } field when field.DeclaredAccessibility != Accessibility.Public =>
            "required, and a caller cannot set it; make it a public property, or remove 'required'",
        _ => null,
    };

    private static string? Reason(ISymbol member, IMethodSymbol constructor, bool setsRequired) => member switch
    {
        IFieldSymbol field when IsIncluded(field) => "a field marked [JsonInclude], and only properties are sent; make it a property",
        IFieldSymbol { IsRequired: true } when !setsRequired => "a required field, and only properties are sent; make it a property",
        IPropertySymbol { IsRequired: true } property when !setsRequired && IsConstructed(property, constructor) =>
            "required and also a parameter of the constructor, so generated code would have to set it twice; remove 'required', or mark the constructor [SetsRequiredMembers]",
        IPropertySymbol property when IsIncluded(property) && Hidden(property, constructor) is { } hidden =>
            $"marked [JsonInclude], and generated code cannot access {hidden}; make it public, or remove the attribute",
        IPropertySymbol { DeclaredAccessibility: Accessibility.Public, SetMethod.DeclaredAccessibility: Accessibility.Public } property when !IsPublic(property.GetMethod) =>
            "a property that can be set but not read, so its value could not be sent to a worker; give it a public getter, or mark it [JsonIgnore]",
        _ => null,
    };

    private static string? Hidden(IPropertySymbol property, IMethodSymbol constructor)
    {
        if (property.DeclaredAccessibility != Accessibility.Public)
        {
            return "it";
        }

        return !IsPublic(property.GetMethod) ? "its getter" : property.SetMethod is not null && !IsConstructed(property, constructor) && !IsPublic(property.SetMethod) ? "its setter" : null;
    }

    private static bool IsConstructed(IPropertySymbol property, IMethodSymbol constructor) => constructor.Parameters.Any(parameter => ObjectConstructor.Matches(parameter, property));

    private static bool IsPublic(IMethodSymbol? accessor) => accessor is { DeclaredAccessibility: Accessibility.Public };

    private static bool IsIncluded(ISymbol member) => member.Of(Json, "JsonIncludeAttribute") is not null;

    private static bool IsIgnored(ISymbol member) =>
        member.Of(Json, "JsonIgnoreAttribute") is { } attribute && attribute.Named("Condition") is (null or JsonIgnoreAlways);
}
