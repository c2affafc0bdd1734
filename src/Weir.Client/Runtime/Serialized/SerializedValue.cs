using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Runtime;

/// <summary>A type that the serializer reads and writes, in programs for .NET Framework and in libraries for netstandard2.0.</summary>
/// <typeparam name="T">The type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SerializedValue<T> : ClientValue<T>
{
    private readonly ClientSerializer _serializer;

    /// <summary>Describes a type.</summary>
    /// <param name="serializer">Of the assembly.</param>
    /// <param name="isNullable">Whether null is a value.</param>
    public SerializedValue(ClientSerializer serializer, bool isNullable)
        : base(isNullable) => _serializer = serializer;

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value) => JsonSerializer.Serialize(writer, value, TypeInfo);

    /// <inheritdoc/>
    public override T Read(ReadOnlySpan<byte> json)
    {
        try
        {
            return JsonSerializer.Deserialize(json, TypeInfo)!;
        }
        catch (JsonException error) when (error.InnerException is UnknownEnumValueException unknown)
        {
            throw new UnknownEnumValueException(unknown.TypeName, unknown.Name, PathOf(error.Path));
        }
    }

    private JsonTypeInfo<T> TypeInfo => (JsonTypeInfo<T>)_serializer.Options.GetTypeInfo(typeof(T));

    private static string PathOf(string? path) => path is null or "$" ? "$" : path.StartsWith("$.", StringComparison.Ordinal) ? path.Substring(2) : path.Substring(1);
}
