using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Weir.Runtime;

/// <summary>Lets the serializer read and write a scalar as generated code does.</summary>
/// <typeparam name="T">The scalar's type.</typeparam>
/// <param name="scalar">How it is read, and written as a property's name.</param>
/// <param name="write">How it is written as a value: by the serializer's own writer, whose options may escape more text.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ScalarConverter<T>(Scalar<T> scalar, Action<Utf8JsonWriter, T> write) : JsonConverter<T>
    where T : struct
{
    /// <inheritdoc/>
    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        try
        {
            return scalar.TryRead(ref reader, out var value) ? value : throw new UnexpectedJsonException(scalar.Expected);
        }
        catch (UnknownEnumValueException unknown)
        {
            // The serializer adds the path to this kind of exception only.
            throw new UnexpectedJsonException(scalar.Expected, unknown);
        }
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) => write(writer, value);

    /// <inheritdoc/>
    public override T ReadAsPropertyName(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        try
        {
            return JsonValues.TextOf(ref reader) is { } text && scalar.TryParse(text, out var value) ? value : throw new UnexpectedJsonException(scalar.Expected);
        }
        catch (UnknownEnumValueException unknown)
        {
            throw new UnexpectedJsonException(scalar.Expected, unknown);
        }
    }

    /// <inheritdoc/>
    public override void WriteAsPropertyName(Utf8JsonWriter writer, T value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        using var output = new PayloadWriter();
        scalar.Write(output, value);
        writer.WritePropertyName(output.WrittenSpan.Trim((byte)'"'));
    }
}
