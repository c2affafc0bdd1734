using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Emission;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>
/// Describes types as JSON has them, for the contract: a type is the name of a scalar or of a definition, followed by <c>[]</c> for a list,
/// <c>{}</c> for an object with any names as members, and <c>?</c> where null is a value. One per service; it walks through symbols, because
/// what only the serializer reads and writes has no other model.
/// </summary>
internal sealed class WireTypes(CancellationToken cancellationToken)
{
    private const string Json = "System.Text.Json.Serialization";
    private const string Any = "json";

    // A definition is null while it is written: a type may refer to itself.
    private readonly Dictionary<string, WireTypeModel?> _types = new(StringComparer.Ordinal);

    // The names that the definition being written refers to.
    private SortedSet<string> _references = new(StringComparer.Ordinal);

    /// <summary>Every type that was described and has a name, in the order of the names.</summary>
    public IEnumerable<WireTypeModel> All => _types.Values.OfType<WireTypeModel>().OrderBy(static one => one.Name, StringComparer.Ordinal);

    /// <summary>Those of them that some types use, directly or through others, in the order of the names.</summary>
    /// <param name="types">As <see cref="Of"/> returned them.</param>
    public IEnumerable<WireTypeModel> UsedBy(IEnumerable<string> types)
    {
        var used = new SortedDictionary<string, WireTypeModel>(StringComparer.Ordinal);
        var waiting = new Stack<string>(types.Select(Base));
        while (waiting.Count > 0)
        {
            if (_types.TryGetValue(waiting.Pop(), out var model) && model is not null && !used.ContainsKey(model.Name))
            {
                used.Add(model.Name, model);
                foreach (var reference in model.References)
                {
                    waiting.Push(reference);
                }
            }
        }

        return used.Values;
    }

    /// <summary>What the contract writes for a type.</summary>
    public string Of(ITypeSymbol type)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return OfCore(TypeNames.Core(type)) + (TypeNames.IsNullable(type) || TypeNames.IsOblivious(type) ? "?" : "");
    }

    private static string Base(string type)
    {
        var end = type.Length;
        while (end > 0 && type[end - 1] is '?' or '[' or ']' or '{' or '}')
        {
            end--;
        }

        return type.Substring(0, end);
    }

    private string OfCore(ITypeSymbol core) => core switch
    {
        { TypeKind: TypeKind.Error or TypeKind.Dynamic } => Any,
        INamedTypeSymbol { TypeKind: TypeKind.Enum } enumType => EnumParser.CustomConverter(enumType) is null ? Named(enumType) : Any,
        _ when ScalarTypes.Find(core) is { } scalar => Scalar(scalar),
        _ when core.ArgumentOf("System", "ReadOnlyMemory`1") is { SpecialType: SpecialType.System_Byte } => "bytes",
        _ when SerializedTypes.IsLeaf(core) => Leaf(core),
        _ when SerializedTypes.HasConverter(core) => Any,
        _ when ListTypes.ElementOf(core) is { } element => Of(element) + "[]",
        INamedTypeSymbol { IsTupleType: false } named when SerializedTypes.IsCollection(core) => Collection(named),
        INamedTypeSymbol named when ObjectShape.RefusalOfAny(core) is null || IsPolymorphic(core) => Named(named),
        _ => Any,
    };

    private static string Scalar(string scalar) => scalar switch
    {
        "Byte" => "uint8",
        "SByte" => "int8",
        "Single" => "float32",
        "Double" => "float64",
        "DateTime" => "date-time",
        "DateTimeOffset" => "date-time-offset",
        "DateOnly" => "date",
        "TimeOnly" => "time",
        "TimeSpan" => "duration",
        "Guid" => "uuid",
        _ => scalar.ToLowerInvariant(),
    };

    private static string Leaf(ITypeSymbol type) => type.MetadataName switch
    {
        "Uri" => "uri",
        "Version" => "string",
        "Half" => "float16",
        "Int128" => "int128",
        "UInt128" => "uint128",
        "Memory`1" => "bytes",
        _ => Any,
    };

    private string Collection(INamedTypeSymbol type)
    {
        var interfaces = type.AllInterfaces.Insert(0, type);
        var pairs = interfaces.FirstOrDefault(static one => one.OriginalDefinition.Is("System.Collections.Generic", "IDictionary`2"))
            ?? interfaces.FirstOrDefault(static one => one.OriginalDefinition.Is("System.Collections.Generic", "IReadOnlyDictionary`2"));
        if (pairs is not null)
        {
            return Of(pairs.TypeArguments[1]) + "{}";
        }

        var element = interfaces.Select(static one => one.ArgumentOf("System.Collections.Generic", "IEnumerable`1")).FirstOrDefault(static one => one is not null);
        return (element is null ? Any : Of(element)) + "[]";
    }

    private string Named(INamedTypeSymbol type)
    {
        var name = TypeNames.ForCode(type).Replace("global::", "");
        if (!_types.ContainsKey(name))
        {
            _types.Add(name, null);
            var outer = _references;
            _references = new SortedSet<string>(StringComparer.Ordinal);
            var definition = type.TypeKind == TypeKind.Enum ? Enum(type, name) : Object(type);
            _types[name] = new WireTypeModel(name, definition, _references.ToEquatableArray());
            _references = outer;
        }

        _references.Add(name);
        return name;
    }

    private static string Enum(INamedTypeSymbol type, string name) => EnumParser.Parse(type, name).Model is not EnumModel model
        ? JsonText.Object()
        : JsonText.Object(
            $"\"enum\":{JsonText.Array(model.Names.GroupBy(static one => one.Bits).Select(static alias => JsonText.Quote(alias.First().Name)))},",
            JsonText.Flag("flags", model.IsFlags),
            JsonText.Flag("open", model.Fallback is not null));

    private string Object(INamedTypeSymbol type)
    {
        var cases = type.GetAttributes().Where(static one => one.AttributeClass is { Name: "JsonDerivedTypeAttribute" } && one.Type() is not null)
            .Select(one => JsonText.Object(
                one.ConstructorArguments.Length > 1 ? $"\"value\":{Discriminator(one.ConstructorArguments[1].Value)}," : "",
                JsonText.Member("type", OfCore(one.Type()!)))).ToList();
        return JsonText.Object(
            cases.Count == 0 ? "" : JsonText.Member("discriminator", type.Of(Json, "JsonPolymorphicAttribute")?.Named("TypeDiscriminatorPropertyName") as string ?? "$type"),
            cases.Count == 0 ? "" : $"\"cases\":{JsonText.Array(cases)},",
            JsonText.Flag("open", cases.Count > 0 && !type.IsAbstract && type.Of(Json, "JsonPolymorphicAttribute")?.Named("IgnoreUnrecognizedTypeDiscriminators") is true),
            // What is sent is one of the cases, which have the members of an abstract type as their own.
            $"\"members\":{JsonText.Array(type.IsAbstract && cases.Count > 0 ? [] : Members(type))}");
    }

    private static string Discriminator(object? value) => value is string text ? JsonText.Quote(text) : Convert.ToString(value, CultureInfo.InvariantCulture) ?? "null";

    private IEnumerable<string> Members(INamedTypeSymbol type)
    {
        var properties = ObjectParser.Properties(type);
        var constructor = type.TypeKind == TypeKind.Interface ? null : ObjectConstructor.Choose(type, properties, out _);
        var setsRequired = constructor?.Of("System.Diagnostics.CodeAnalysis", "SetsRequiredMembersAttribute") is not null;
        var included = type.SelfAndBases().DefaultIfEmpty(type).SelectMany(static level => level.GetMembers())
            .Where(one => one is IFieldSymbol or IPropertySymbol && one.Of(Json, "JsonIncludeAttribute") is not null && !properties.Contains(one, SymbolEqualityComparer.Default));
        foreach (var member in properties.Concat(included).OrderBy(ObjectParser.Order))
        {
            var (isRead, condition) = ObjectParser.Ignore(member);
            var parameter = member is IPropertySymbol property ? constructor?.Parameters.FirstOrDefault(one => ObjectConstructor.Matches(one, property)) : null;
            isRead = isRead && (parameter is not null || IsSettable(member));
            if ((isRead || condition != WriteCondition.Never) && member.Of(Json, "JsonExtensionDataAttribute") is null)
            {
                var memberType = member is IPropertySymbol { Type: var one } ? one : ((IFieldSymbol)member).Type;
                var isRequired = (member is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true } && !setsRequired) || member.Of(Json, "JsonRequiredAttribute") is not null
                    || (parameter is { HasExplicitDefaultValue: false } && condition != WriteCondition.NotDefault && !TypeNames.IsNullable(parameter.Type) && !TypeNames.IsOblivious(parameter.Type));
                yield return JsonText.Object(
                    JsonText.Member("name", ObjectParser.JsonName(member)),
                    JsonText.Member("type", SerializedTypes.HasConverter(member) && !ObjectParser.IsEnumNames(member) ? Any : Of(memberType)),
                    JsonText.Flag("optional", isRead && !isRequired),
                    JsonText.Flag("readOnly", !isRead),
                    JsonText.Flag("writeOnly", condition == WriteCondition.Never),
                    JsonText.Flag("omitted", condition is WriteCondition.NotNull or WriteCondition.NotDefault));
            }
        }
    }

    private static bool IsSettable(ISymbol member) => member switch
    {
        IPropertySymbol { SetMethod: { } setter } => setter.DeclaredAccessibility == Accessibility.Public || member.Of(Json, "JsonIncludeAttribute") is not null,
        IFieldSymbol { IsReadOnly: false } => true,
        _ => false,
    };

    private static bool IsPolymorphic(ISymbol type) => type.Of(Json, "JsonPolymorphicAttribute") is not null || type.Of(Json, "JsonDerivedTypeAttribute") is not null;
}
