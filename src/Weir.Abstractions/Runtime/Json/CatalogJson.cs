using System.ComponentModel;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>What the serializer has to know about the types of one assembly's operations. Written by the generator; immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CatalogJson
{
    /// <summary>The metadata of <see cref="WeirJsonAttribute"/>; <c>null</c>, the default, without one.</summary>
    public IJsonTypeInfoResolver? Resolver { get; init; }

    /// <summary>A converter for each enum that the operations exchange, with the rules of the generated code.</summary>
    public IReadOnlyList<JsonConverter> Converters { get; init; } = [];

    /// <summary>The types that are read and written over HTTP by the serializer alone.</summary>
    public IReadOnlyList<Type> SerializedTypes { get; init; } = [];

    /// <summary>All types that are read and written over HTTP: the serializer must know them where its options replace generated code.</summary>
    public Func<IReadOnlyList<Type>> AllTypes { get; init; } = static () => [];

    /// <summary>The types that the serializer reads and writes between host and worker.</summary>
    public IReadOnlyList<Type> WorkerTypes { get; init; } = [];
}
