using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Text, as it is.</summary>
internal sealed class StringScalar : Scalar<string>
{
    public override string Expected => "text";

    public override bool TryParse(ReadOnlySpan<char> text, out string value)
    {
        value = StringCache.Get(text);
        return true;
    }

    public override bool TryRead(ref Utf8JsonReader reader, out string value)
    {
        value = reader.TokenType == JsonTokenType.String ? JsonValues.TextOf(ref reader)! : null!;
        return value is not null;
    }

    public override void Write(Utf8JsonWriter writer, string value) => writer.WriteStringValue(value);
}
