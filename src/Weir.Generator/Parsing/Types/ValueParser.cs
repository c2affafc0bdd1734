using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>
/// Turns the types of parameters, results and members into values, and collects the types among them that need a
/// generated class. One per service; a type that refers to itself is found while it is parsed, and used as it is.
/// </summary>
internal sealed class ValueParser(Compilation compilation, CancellationToken cancellationToken)
{
    private readonly Dictionary<string, Entry> _types = [];
    private readonly List<string> _order = []; // The keys of _types as they were found.
    private readonly HashSet<string> _serialized = [];

    /// <summary>The types found so far, as the contract describes them.</summary>
    public WireTypes Wire { get; } = new(cancellationToken);

    /// <summary>The types found so far that need a generated class.</summary>
    public IEnumerable<TypeModel> Types => _order.Select(key => _types[key].Model).Where(static model => model is not null).Select(static model => model!);

    /// <summary>
    /// The value of a parameter's, result's or item's type; <c>null</c>, with the reason, when it cannot be exchanged. If generated code cannot
    /// hold the type or something below it, the serializer reads and writes all of it.
    /// </summary>
    public ValueModel? Parse(ITypeSymbol type, out TypeFailure? failure)
    {
        var key = TypeNames.ForCode(TypeNames.Core(type));
        if (!_serialized.Contains(key))
        {
            var before = _order.Count;
            if (ParseMember(type, out failure) is { } value)
            {
                return value with { Wire = Wire.Of(type) };
            }

            if (failure is not { IsForSerializer: true } || TypeNames.Core(type).TypeKind == TypeKind.Enum)
            {
                return null;
            }

            Forget(before);
            failure = new SerializedTypes(this, cancellationToken).Find(type);
            if (failure is not null)
            {
                return null;
            }

            _serialized.Add(key);
        }

        failure = null;
        return Value(type, ValueKind.Serialized, "") with { Wire = Wire.Of(type) };
    }

    /// <summary>As <see cref="Parse"/>, of a type that is below another one: generated code must hold it.</summary>
    public ValueModel? ParseMember(ITypeSymbol type, out TypeFailure? failure)
    {
        cancellationToken.ThrowIfCancellationRequested();
        failure = null;
        var core = TypeNames.Core(type);
        if (UsageErrors.OfType(compilation, core) is { } marked)
        {
            failure = new TypeFailure("", $"{TypeNames.ForPeople(core)}, {marked}");
            return null;
        }

        if (ScalarTypes.Find(core) is { } scalar)
        {
            return Value(type, ValueKind.Scalar, "global::Weir.Runtime.Scalars." + scalar);
        }

        if (core is INamedTypeSymbol { TypeKind: TypeKind.Enum } enumType)
        {
            return ParseEnum(enumType, out failure) is { } codec ? Value(type, ValueKind.Scalar, codec + ".Instance") : null;
        }

        if (core.ArgumentOf("System", "ReadOnlyMemory`1") is { SpecialType: SpecialType.System_Byte })
        {
            return Value(type, ValueKind.Memory, "");
        }

        if (ListTypes.ElementOf(core) is { } elementType)
        {
            var element = ParseMember(elementType, out failure);
            failure = failure?.Below("[]");
            return element is null ? null : Value(type, ValueKind.List, "") with { Element = element, IsArray = core is IArrayTypeSymbol };
        }

        if (core.TypeKind == TypeKind.Error)
        {
            failure = TypeFailure.Unknown;
            return null;
        }

        if (SerializedTypes.IsLeaf(core) || SerializedTypes.IsCollection(core) || ObjectShape.UnreadAttribute(core) is not null)
        {
            failure = new TypeFailure("", $"{TypeNames.ForPeople(core)}, which generated code does not support") { IsForSerializer = true };
            return null;
        }

        if (ObjectShape.Refusal(core) is { } refusal)
        {
            failure = new TypeFailure("", refusal);
            return null;
        }

        return Collect((INamedTypeSymbol)core, (symbol, name, self) => new ObjectParser(self, compilation).Parse(symbol, name), ref failure) is { } json
            ? Value(type, ValueKind.Object, json)
            : null;
    }

    /// <summary>As <see cref="Parse"/>, of a parameter that callers may write as text: then types that parse text are scalars, and lists of them too.</summary>
    public ValueModel? ParseParameter(ITypeSymbol type, out TypeFailure? failure)
    {
        var core = TypeNames.Core(type);
        failure = null;
        return Parsed(type) is { } scalar ? scalar
            : ListTypes.ElementOf(core) is { } element && Parsed(element) is { } parsed
                ? Value(type, ValueKind.List, "") with { Element = parsed, IsArray = core is IArrayTypeSymbol, Wire = parsed.Wire + "[]" + (TypeNames.IsNullable(type) ? "?" : "") }
            : Parse(type, out failure);
    }

    /// <summary>The value of a type that exists only in this process.</summary>
    public static ValueModel Opaque(ITypeSymbol type) => Value(type, ValueKind.Opaque, "");

    private static ValueModel? Parsed(ITypeSymbol type)
    {
        var core = TypeNames.Core(type);
        return ScalarTypes.Find(core) is null && ParsableTypes.Scalar(core) is { } scalar
            ? Value(type, ValueKind.Scalar, scalar) with { IsParsed = true, IsWritten = core is not INamedTypeSymbol named || ParsableTypes.IsWritten(named), Wire = TypeNames.IsNullable(type) ? "text?" : "text" }
            : null;
    }

    /// <summary>The scalar class of an enum; <c>null</c>, with the reason, when it has none.</summary>
    public string? ParseEnum(INamedTypeSymbol type, out TypeFailure? failure)
    {
        failure = null;
        return Collect(type, static (symbol, name, _) => EnumParser.Parse(symbol, name), ref failure);
    }

    private static ValueModel Value(ITypeSymbol type, ValueKind kind, string codec)
    {
        // Without an annotation, null is allowed.
        var core = TypeNames.Core(type);
        var isOblivious = TypeNames.IsOblivious(type);
        return new ValueModel(
            kind, TypeNames.ForCode(type) + (isOblivious ? "?" : ""), TypeNames.ForCode(core), TypeNames.ForPeople(type), TypeNames.IsNullable(type) || isOblivious, core.IsValueType, codec)
        {
            IsOblivious = isOblivious,
        };
    }

    // The class of a type, parsed when it is first found; a failure is stored with it.
    private string? Collect(
        INamedTypeSymbol type, Func<INamedTypeSymbol, string, ValueParser, (TypeModel? Model, TypeFailure? Failure)> parse, ref TypeFailure? failure)
    {
        var key = TypeNames.ForCode(type);
        if (!_types.TryGetValue(key, out var entry))
        {
            var codec = Naming.Identifier(key.Substring("global::".Length)) + (type.TypeKind == TypeKind.Enum ? "Scalar" : "Json");
            _types[key] = entry = new Entry(codec);
            _order.Add(key);
            (entry.Model, entry.Failure) = parse(type, codec, this);
        }

        failure = entry.Failure;
        return failure is null ? entry.Codec : null;
    }

    // What was found below a type that the serializer reads and writes is not needed, unless it is found elsewhere.
    private void Forget(int before)
    {
        for (; _order.Count > before; _order.RemoveAt(_order.Count - 1))
        {
            _types.Remove(_order[_order.Count - 1]);
        }
    }

    private sealed class Entry(string codec)
    {
        public string Codec { get; } = codec;

        public TypeModel? Model { get; set; }

        public TypeFailure? Failure { get; set; }
    }
}
