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

    // Null is written as null, even if the type is not nullable.
    public override void Write(PayloadWriter output, string value)
    {
        if (value is null)
        {
            output.Write("null"u8);
        }
        else
        {
            JsonString.Write(output, value);
        }
    }
}
