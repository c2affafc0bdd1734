namespace Weir.Generator.Model;

/// <summary>How a value of some type is read and written.</summary>
internal enum ValueKind
{
    /// <summary>By a <c>Scalar&lt;T&gt;</c>.</summary>
    Scalar,

    /// <summary><c>ReadOnlyMemory&lt;byte&gt;</c>: base64 in JSON.</summary>
    Memory,

    /// <summary>By a generated class for its type.</summary>
    Object,

    /// <summary>As a JSON array of elements.</summary>
    List,

    /// <summary>By the serializer, with everything below it.</summary>
    Serialized,

    /// <summary>Not at all: it exists only in this process, as an object.</summary>
    Opaque,
}

/// <summary>One type in one position, with its nullability there.</summary>
/// <param name="Kind">How it is read and written.</param>
/// <param name="Type">As declared, fully qualified, with its annotations.</param>
/// <param name="CoreType">The same without the outermost nullability.</param>
/// <param name="Display">As people write it.</param>
/// <param name="IsNullable">Whether null is a value.</param>
/// <param name="IsValueType">Whether the type without its nullability is a value type.</param>
/// <param name="Codec">The scalar's expression, or the generated class; empty for lists and memory.</param>
/// <param name="Element">The element of a list.</param>
/// <param name="IsArray">Whether a list is an array; the others take a <c>List&lt;T&gt;</c>.</param>
internal sealed record ValueModel(
    ValueKind Kind,
    string Type,
    string CoreType,
    string Display,
    bool IsNullable,
    bool IsValueType,
    string Codec,
    ValueModel? Element = null,
    bool IsArray = false)
{
    /// <summary>Whether it comes from code without nullable annotations: such code takes the value as it is, annotated code needs a '!'.</summary>
    public bool IsOblivious { get; init; }

    /// <summary>Whether its type parses its own text.</summary>
    public bool IsParsed { get; init; }

    /// <summary>Whether a type that parses its own text also writes it.</summary>
    public bool IsWritten { get; init; } = true;

    /// <summary>Whether it, or its elements, are sent on as the text that they were parsed from. Those of a URI have it in themselves.</summary>
    public bool KeepsText => (Element ?? this) is { IsParsed: true, CoreType: not "global::System.Uri" };

    /// <summary>What the contract writes for it; empty for one that is below another.</summary>
    public string Wire { get; init; } = "";

    /// <summary>Whether text can hold it: a scalar, or a list of scalars by repetition.</summary>
    public bool IsText => Kind is ValueKind.Scalar || (Kind is ValueKind.List && Element!.Kind is ValueKind.Scalar);

    /// <summary>The type as <c>typeof</c> takes it.</summary>
    public string RuntimeType => IsValueType ? Type : CoreType;

    /// <summary>Whether it is bytes, which an operation takes as its raw body.</summary>
    public bool IsBytes => Kind is ValueKind.Memory || (Kind is ValueKind.Scalar && CoreType == "byte[]");
}
