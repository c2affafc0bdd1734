using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Bytes as a text of JSON: what the items of a stream of bytes are where they must be counted.</summary>
internal sealed class Base64Value : ClientValue<ReadOnlyMemory<byte>>
{
    private Base64Value()
        : base(isNullable: false)
    {
    }

    internal static Base64Value Instance { get; } = new();

    public override void Write(Utf8JsonWriter writer, ReadOnlyMemory<byte> value) => writer.WriteBase64StringValue(value.Span);

    public override ReadOnlyMemory<byte> Read(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        reader.Read();
        var bytes = reader.GetBytesFromBase64();
        return reader.Read() ? throw new JsonException("It has data after its value.") : bytes;
    }
}
