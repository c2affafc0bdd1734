using System.Text.Json;

namespace Weir.Runtime;

/// <summary>True or false; as text, case is ignored.</summary>
internal sealed class BooleanScalar : Scalar<bool>
{
    public override string Expected => "true or false";

    public override bool TryParse(ReadOnlySpan<char> text, out bool value)
    {
        value = text.Equals("true", StringComparison.OrdinalIgnoreCase);
        return value || text.Equals("false", StringComparison.OrdinalIgnoreCase);
    }

    public override bool TryRead(ref Utf8JsonReader reader, out bool value)
    {
        value = reader.TokenType == JsonTokenType.True;
        return value || reader.TokenType == JsonTokenType.False;
    }

    public override void Write(PayloadWriter output, bool value) => output.Write(value ? "true"u8 : "false"u8);
}
