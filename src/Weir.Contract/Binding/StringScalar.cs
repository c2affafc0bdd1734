using System.Text.Json;

namespace Weir;

/// <summary>Text, as it is.</summary>
internal sealed class StringScalar : Scalar<string>
{
    public override string Expected => "text";

    public override bool TryParse(ReadOnlySpan<char> text, out string value)
    {
        value = text.ToString();
        return true;
    }

    public override bool TryRead(ref Utf8JsonReader reader, out string value)
    {
        if (reader.TokenType != JsonTokenType.String)
        {
            value = null!;
            return false;
        }

        try
        {
            value = reader.GetString()!;
            return true;
        }
        catch (InvalidOperationException)
        {
            // A lone surrogate escape is valid JSON and no valid text.
            value = null!;
            return false;
        }
    }

    public override void Write(Utf8JsonWriter writer, string value) => writer.WriteStringValue(value);
}
