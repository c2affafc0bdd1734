using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>
/// Turns the types of parameters, results and members into values, and collects the types among them that need a
/// generated class. One per service; a type that refers to itself is found while it is parsed, and used as it is.
/// </summary>
internal sealed class ValueParser(CancellationToken cancellationToken)
{
    private readonly Dictionary<string, Entry> _types = [];

    /// <summary>The types found so far that need a generated class.</summary>
    public IEnumerable<TypeModel> Types => _types.Values.Where(static entry => entry.Model is not null).Select(static entry => entry.Model!);

    /// <summary>The value of a type; <c>null</c>, with the reason, when it cannot be exchanged.</summary>
    public ValueModel? Parse(ITypeSymbol type, out TypeFailure? failure)
    {
        cancellationToken.ThrowIfCancellationRequested();
        failure = null;
        var core = TypeNames.Core(type);
        if (ScalarTypes.Find(core) is { } scalar)
        {
            return Value(type, ValueKind.Scalar, "global::Weir.Runtime.Scalars." + scalar);
        }

        if (core is INamedTypeSymbol { TypeKind: TypeKind.Enum } enumType)
        {
            return Collect(enumType, static (symbol, name, _) => EnumParser.Parse(symbol, name), ref failure) is { } codec
                ? Value(type, ValueKind.Scalar, codec + ".Instance")
                : null;
        }

        if (core.ArgumentOf("System", "ReadOnlyMemory`1") is { SpecialType: SpecialType.System_Byte })
        {
            return Value(type, ValueKind.Memory, "");
        }

        if (ListTypes.ElementOf(core) is { } elementType)
        {
            var element = Parse(elementType, out failure);
            failure = failure?.Below("[]");
            return element is null ? null : Value(type, ValueKind.List, "") with { Element = element, IsArray = core is IArrayTypeSymbol };
        }

        if (core.TypeKind == TypeKind.Error)
        {
            failure = TypeFailure.Unknown;
            return null;
        }

        if (ObjectShape.Refusal(core) is { } refusal)
        {
            failure = new TypeFailure("", refusal);
            return null;
        }

        return Collect((INamedTypeSymbol)core, (symbol, name, self) => new ObjectParser(self).Parse(symbol, name), ref failure) is { } json
            ? Value(type, ValueKind.Object, json)
            : null;
    }

    /// <summary>As <see cref="Parse"/>, of a parameter that callers may write as text: then types that parse text are scalars, and lists of them too.</summary>
    public ValueModel? ParseParameter(ITypeSymbol type, out TypeFailure? failure)
    {
        var core = TypeNames.Core(type);
        failure = null;
        return Parsed(type) is { } scalar ? scalar
            : ListTypes.ElementOf(core) is { } element && Parsed(element) is { } parsed ? Value(type, ValueKind.List, "") with { Element = parsed, IsArray = core is IArrayTypeSymbol }
            : Parse(type, out failure);
    }

    /// <summary>The value of a type that exists only in this process.</summary>
    public static ValueModel Opaque(ITypeSymbol type) => Value(type, ValueKind.Opaque, "");

    private static ValueModel? Parsed(ITypeSymbol type)
    {
        var core = TypeNames.Core(type);
        return ScalarTypes.Find(core) is null && ParsableTypes.Scalar(core) is { } scalar ? Value(type, ValueKind.Scalar, scalar) with { IsParsed = true } : null;
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
            (entry.Model, entry.Failure) = parse(type, codec, this);
        }

        failure = entry.Failure;
        return failure is null ? entry.Codec : null;
    }

    private sealed class Entry(string codec)
    {
        public string Codec { get; } = codec;

        public TypeModel? Model { get; set; }

        public TypeFailure? Failure { get; set; }
    }
}
