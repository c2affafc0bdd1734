using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>Decides whether a type that is neither scalar nor list can be a JSON object with a fixed set of members.</summary>
internal static class ObjectShape
{
    // The attributes that generated code follows, and that UnboundMembers checks.
    private static readonly string[] ReadAttributes =
    [
        "JsonConstructorAttribute", "JsonIgnoreAttribute", "JsonIncludeAttribute", "JsonPropertyNameAttribute", "JsonPropertyOrderAttribute",
        "JsonRequiredAttribute",
    ];

    /// <summary>What the type is and what to do instead; <c>null</c> when generated code can exchange it as an object.</summary>
    public static string? Refusal(ITypeSymbol type) =>
        RefusalOfAny(type) ?? (UnreadAttribute(type) is { } attribute
            ? $"{TypeNames.ForPeople(type)}, whose [{attribute}] generated code does not support; remove it, or use a record without it"
            : null);

    /// <summary>What the type is and what to do instead; <c>null</c> when it has members that can be exchanged, by generated code or by the serializer.</summary>
    public static string? RefusalOfAny(ITypeSymbol type)
    {
        var name = TypeNames.ForPeople(type);
        return type switch
        {
            { TypeKind: TypeKind.Dynamic } => $"{name}, which has no fixed members; declare a record, or object",
            { IsTupleType: true } => $"{name}, a tuple, whose element names are not sent; declare a record",
            _ when IsSequence(type) => $"{name}, a sequence; use T[], List<T> or IReadOnlyList<T>",
            _ when ListTypes.IsCollection(type) => $"{name}, a collection that System.Text.Json cannot read; use T[], List<T>, IReadOnlyList<T> or Dictionary<string, T>",
            { TypeKind: TypeKind.Delegate } => $"{name}, a delegate, which is code and not data",
            { TypeKind: TypeKind.Pointer or TypeKind.FunctionPointer } => $"{name}, a pointer, which is not valid in another process",
            { TypeKind: TypeKind.TypeParameter } => $"{name}, a type parameter; use a concrete type",
            { TypeKind: TypeKind.Interface } => $"{name}, an interface; use a class",
            { IsRefLikeType: true } => $"{name}, a ref struct, which exists only on the stack; use a class or a struct",
            { IsAbstract: true } => $"{name}, which is abstract, so its members are not fixed; use a concrete class",
            _ when type.IsFramework() && !type.OriginalDefinition.Is("System.Collections.Generic", "KeyValuePair`2") =>
                $"{name}, a type of the framework that has no JSON form; use text, bytes, or a record of your own",
            { BaseType: { } ancestor } when IsFrameworkChild(type, ancestor) => $"{name}, which derives from a type of the framework; declare a record",
            INamedTypeSymbol => null,
            _ => $"{name}, which has no JSON form",
        };
    }

    /// <summary>An attribute that would change the JSON and that generated code does not follow; <c>null</c> without one.</summary>
    public static string? UnreadAttribute(ISymbol symbol) =>
        symbol.GetAttributes().Select(static attribute => attribute.AttributeClass)
            .Where(static type => type is not null && !ReadAttributes.Contains(type.Name)
                && IsJson(type))
            .Select(static type => type!.Name.EndsWith("Attribute", StringComparison.Ordinal) ? type.Name.Substring(0, type.Name.Length - "Attribute".Length) : type.Name)
            .FirstOrDefault();

    // A converter's attribute may be the application's own.
    private static bool IsJson(INamedTypeSymbol attribute)
    {
        for (var current = attribute; current is not null; current = current.BaseType)
        {
            if (current.Is("System.Text.Json.Serialization", "JsonAttribute"))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsFrameworkChild(ITypeSymbol type, INamedTypeSymbol ancestor)
    {
        for (var current = ancestor; current is not null; current = current.BaseType)
        {
            if (current.IsFramework())
            {
                return current.SpecialType is not (SpecialType.System_Object or SpecialType.System_ValueType);
            }
        }

        return type.IsFramework();
    }

    private static bool IsSequence(ITypeSymbol type) =>
        type.ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1") is not null
        || type.ArgumentOf("System.Threading.Channels", "ChannelReader`1") is not null;
}
