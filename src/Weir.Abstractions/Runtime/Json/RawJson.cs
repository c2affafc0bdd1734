using System.Runtime.InteropServices;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// Writes JSON that was kept as it came. Text with half of a surrogate pair is JSON (RFC 8259, section 8.2), but the serializer decodes what it
/// writes again, and cannot decode that: such a value is copied.
/// </summary>
internal static class RawJson
{
    internal static void Write(Utf8JsonWriter writer, JsonElement value)
    {
        var json = value.ValueKind == JsonValueKind.Undefined ? default : JsonMarshal.GetRawUtf8Value(value);
        if (HasLoneSurrogate(json))
        {
            writer.WriteRawValue(json, skipInputValidation: true);
        }
        else
        {
            value.WriteTo(writer);
        }
    }

    // Only an escape can be half of a pair: UTF-8 has no form for it. A backslash that is escaped itself may be taken for one, which only costs a copy.
    private static bool HasLoneSurrogate(ReadOnlySpan<byte> json)
    {
        for (var at = json.IndexOf("\\u"u8); at >= 0; at = json.IndexOf("\\u"u8))
        {
            json = json[(at + 2)..];
            if (!IsSurrogate(json))
            {
                continue;
            }

            if (!IsHigh(json) || json.Length < 10 || json[4] != '\\' || json[5] != 'u' || !IsSurrogate(json[6..]) || IsHigh(json[6..]))
            {
                return true;
            }

            json = json[10..];
        }

        return false;
    }

    private static bool IsSurrogate(ReadOnlySpan<byte> digits) => digits.Length >= 4 && (digits[0] | 0x20) == 'd' && (digits[1] is >= (byte)'8' and <= (byte)'9' || (digits[1] | 0x20) is >= 'a' and <= 'f');

    private static bool IsHigh(ReadOnlySpan<byte> digits) => digits[1] is >= (byte)'8' and <= (byte)'9' || (digits[1] | 0x20) is 'a' or 'b';
}
