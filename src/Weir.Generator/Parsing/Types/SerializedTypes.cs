using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>
/// Walks through a type that only the serializer can read and write, with everything below it: finds what the serializer cannot exchange
/// either, and the enums, for which it gets converters with Weir's rules.
/// </summary>
internal sealed class SerializedTypes(ValueParser values, CancellationToken cancellationToken)
{
    private const string Json = "System.Text.Json.Serialization";

    // A value of JsonIgnoreCondition, which the generator's own framework does not have; the default.
    private const int JsonIgnoreAlways = 1;

    private readonly HashSet<ITypeSymbol> _seen = new(SymbolEqualityComparer.Default);

    /// <summary>The first thing that the serializer cannot exchange; <c>null</c> when there is none.</summary>
    public TypeFailure? Find(ITypeSymbol type)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var core = TypeNames.Core(type);
        return core switch
        {
            { TypeKind: TypeKind.Error } => TypeFailure.Unknown,
            INamedTypeSymbol { TypeKind: TypeKind.Enum } enumType when EnumParser.CustomConverter(enumType) is null => FindEnum(enumType),
            _ when ScalarTypes.Find(core) is not null || IsLeaf(core) || HasConverter(core) || !_seen.Add(core) => null,
            IArrayTypeSymbol { Rank: 1 } array => Find(array.ElementType)?.Below("[]"),
            IArrayTypeSymbol => new TypeFailure("", $"{TypeNames.ForPeople(core)}, an array of several dimensions; use an array of arrays"),
            INamedTypeSymbol { IsTupleType: false } named when IsCollection(core) => FindElements(named),
            INamedTypeSymbol named when core.OriginalDefinition.Is("System.Collections.Generic", "KeyValuePair`2") => Find(named.TypeArguments[0]) ?? Find(named.TypeArguments[1]),
            INamedTypeSymbol named when IsPolymorphic(core) => FindDerived(named) ?? FindMembers(named),
            _ when ObjectShape.RefusalOfAny(core) is { } refusal => new TypeFailure("", refusal),
            _ => FindConstructor((INamedTypeSymbol)core) ?? FindMembers((INamedTypeSymbol)core),
        };
    }

    /// <summary>Whether the serializer has a form of its own for the type, and generated code has none.</summary>
    public static bool IsLeaf(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_Object } => true,
        _ when type.IsIn("System") => type.MetadataName is "Uri" or "Version" or "Half" or "Int128" or "UInt128"
            || ((type.ArgumentOf("System", "Memory`1") ?? type.ArgumentOf("System", "ReadOnlyMemory`1")) is { SpecialType: SpecialType.System_Byte }),
        _ when type.IsIn("System.Text.Json") => type.MetadataName is "JsonElement" or "JsonDocument",
        _ => type.IsIn("System.Text.Json.Nodes"),
    };

    /// <summary>Whether the type is a collection, a dictionary included, that the serializer reads and writes.</summary>
    public static bool IsCollection(ITypeSymbol type) =>
        type is INamedTypeSymbol && ListTypes.IsCollection(type)
        && !type.IsIn("System.Collections.Frozen") && !type.Is("System.Collections.Concurrent", "BlockingCollection`1")
        && type.ContainingNamespace is { } @namespace && (!type.IsFramework() || type.IsBelow("System.Collections") || type.SpecialType == SpecialType.System_Collections_IEnumerable || IsDirectlyIn(@namespace));

    private static bool IsDirectlyIn(INamespaceSymbol @namespace) => @namespace is { Name: "Collections", ContainingNamespace: { Name: "System", ContainingNamespace.IsGlobalNamespace: true } };

    /// <summary>Whether a type or a member has a converter of its own.</summary>
    public static bool HasConverter(ISymbol symbol) =>
        symbol.GetAttributes().Any(static attribute => attribute.AttributeClass is { } type && type.IsOrImplements(Json, "JsonConverterAttribute"));

    private static bool IsPolymorphic(ISymbol type) =>
        type.Of(Json, "JsonPolymorphicAttribute") is not null || type.Of(Json, "JsonDerivedTypeAttribute") is not null;

    private TypeFailure? FindEnum(INamedTypeSymbol type)
    {
        values.ParseEnum(type, out var failure);
        return failure;
    }

    private TypeFailure? FindElements(INamedTypeSymbol type)
    {
        var interfaces = type.AllInterfaces.Insert(0, type);
        var pairs = interfaces.FirstOrDefault(static one => one.OriginalDefinition.Is("System.Collections.Generic", "IDictionary`2"))
            ?? interfaces.FirstOrDefault(static one => one.OriginalDefinition.Is("System.Collections.Generic", "IReadOnlyDictionary`2"));
        if (pairs is not null)
        {
            return FindKey(type, pairs.TypeArguments[0]) ?? Find(pairs.TypeArguments[1])?.Below("[]");
        }

        var element = interfaces.Select(static one => one.ArgumentOf("System.Collections.Generic", "IEnumerable`1")).FirstOrDefault(static one => one is not null);
        return element is null ? null : Find(element)?.Below("[]");
    }

    private TypeFailure? FindKey(ITypeSymbol type, ITypeSymbol key)
    {
        var isText = key.TypeKind == TypeKind.Enum || key.SpecialType == SpecialType.System_Object || HasConverter(key)
            || ScalarTypes.Find(key) is { } and not "Bytes" || (IsLeaf(key) && key.IsIn("System") && key is not INamedTypeSymbol { IsGenericType: true });
        return !isText ? new TypeFailure("", $"{TypeNames.ForPeople(type)}, whose key {TypeNames.ForPeople(key)} is no member name; use text, a number, an enum or a Guid as the key")
            : key.TypeKind == TypeKind.Enum ? Find(key) : null;
    }

    private TypeFailure? FindDerived(INamedTypeSymbol type) =>
        type.GetAttributes().Where(static attribute => attribute.AttributeClass is { Name: "JsonDerivedTypeAttribute" })
            .Select(static attribute => attribute.Type())
            .Select(derived => derived is null ? null : Find(derived)?.Below($"({TypeNames.ForPeople(derived)})"))
            .FirstOrDefault(static failure => failure is not null);

    // The serializer makes an object by the marked constructor, or else by the one without parameters, or else by the only public one.
    private static TypeFailure? FindConstructor(INamedTypeSymbol type)
    {
        var constructors = type.InstanceConstructors;
        var isChosen = type.IsValueType || constructors.Any(static one => one.Of(Json, "JsonConstructorAttribute") is not null)
            || constructors.Any(static one => one is { DeclaredAccessibility: Accessibility.Public, Parameters.Length: 0 });
        var known = constructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).ToList();
        return isChosen || (known.Count == 1 && known[0].Parameters.All(parameter => HasProperty(type, parameter)))
            ? null
            : new TypeFailure("", known.Count == 0 ? $"{type.Name}, which has no public constructor; add one"
                : known.Count > 1 ? $"{type.Name}, which has several constructors with parameters; mark one [JsonConstructor]"
                : $"{type.Name}, whose constructor takes '{known[0].Parameters.First(parameter => !HasProperty(type, parameter)).Name}', and no property has that name and type; add one");
    }

    private static bool HasProperty(INamedTypeSymbol type, IParameterSymbol parameter) =>
        type.SelfAndBases().SelectMany(static level => level.GetMembers().OfType<IPropertySymbol>()).Any(property => ObjectConstructor.Matches(parameter, property));

    private TypeFailure? FindMembers(INamedTypeSymbol type)
    {
        foreach (var member in type.SelfAndBases().DefaultIfEmpty(type).SelectMany(static level => level.GetMembers()).Where(IsExchanged))
        {
            var memberType = member is IPropertySymbol property ? property.Type : ((IFieldSymbol)member).Type;
            if (Find(memberType) is { } failure)
            {
                return failure.Below("." + member.Name);
            }
        }

        return null;
    }

    private static bool IsExchanged(ISymbol member) =>
        member is { IsStatic: false } and (IPropertySymbol { IsIndexer: false } or IFieldSymbol { IsImplicitlyDeclared: false })
        && (member is IPropertySymbol { DeclaredAccessibility: Accessibility.Public } || member.Of(Json, "JsonIncludeAttribute") is not null)
        && !HasConverter(member)
        && member.Of(Json, "JsonExtensionDataAttribute") is null
        && !(member.Of(Json, "JsonIgnoreAttribute") is { } ignore && ignore.Named("Condition") is (null or JsonIgnoreAlways));
}
