using System.Text.Json;
using System.Text.Json.Serialization;

namespace Weir.Runtime;

/// <summary>Reads a kind of JSON as the serializer does, and writes it by <see cref="RawJson"/>.</summary>
/// <param name="reading">The serializer's own converter.</param>
/// <param name="write">Writes a value that is not null.</param>
internal sealed class RawJsonConverter<T>(JsonConverter<T?> reading, Action<Utf8JsonWriter, T> write) : JsonConverter<T>
{
    public override bool HandleNull => reading.HandleNull;

    public override T? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => reading.Read(ref reader, typeToConvert, options);

    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options)
    {
        if (value is null)
        {
            writer.WriteNullValue();
        }
        else
        {
            write(writer, value);
        }
    }
}
