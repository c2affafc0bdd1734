using System.Text.Json;

namespace Weir.Runtime;

/// <summary>Bytes inside JSON or text: base64 (RFC 4648 §4).</summary>
internal sealed class BytesScalar : Scalar<byte[]>
{
    public override string Expected => "base64";

    /// <summary>Whether a type is bytes as a whole, whose JSON form no setting changes.</summary>
    internal static bool IsBytes<T>() => typeof(T) == typeof(byte[]) || typeof(T) == typeof(ReadOnlyMemory<byte>) || typeof(T) == typeof(ReadOnlyMemory<byte>?);

    public override bool TryParse(ReadOnlySpan<char> text, out byte[] value)
    {
        var bytes = new byte[text.Length / 4 * 3 + 3];
        // White space would be skipped: in a query it is a plus that was not encoded, and the bytes would be different ones.
        var written = 0;
        var valid = !text.ContainsAny(" \t\r\n") && Convert.TryFromBase64Chars(text, bytes, out written);
        value = valid ? bytes[..written] : [];
        return valid;
    }

    public override bool TryRead(ref Utf8JsonReader reader, out byte[] value)
    {
        value = [];
        try
        {
            if (reader.TokenType != JsonTokenType.String || !reader.TryGetBytesFromBase64(out var bytes))
            {
                return false;
            }

            value = bytes;
            return true;
        }
        catch (InvalidOperationException)
        {
            // A lone surrogate escape is valid JSON but not valid text.
            return false;
        }
    }

    public override void Write(PayloadWriter output, byte[] value) => output.WriteBase64(value);
}
