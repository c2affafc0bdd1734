using System.Buffers;
using System.Text;

namespace Weir.AspNetCore.Binding;

/// <summary>Decodes <c>application/x-www-form-urlencoded</c> text: plus is a space, percent bytes are UTF-8. Strict.</summary>
internal static class PercentDecoder
{
    private const int LongestRune = 4;

    /// <summary>Whether the text needs no decoding.</summary>
    internal static bool IsPlain(ReadOnlySpan<char> text) => !text.ContainsAny('%', '+');

    /// <summary>Decodes; <c>false</c> for a percent sign without two hexadecimal digits, or bytes that are not UTF-8.</summary>
    /// <param name="text">Encoded.</param>
    /// <param name="output">At least as long as the text; decoded text is never longer. May be the same memory.</param>
    /// <param name="length">How much was written.</param>
    internal static bool TryDecode(ReadOnlySpan<char> text, Span<char> output, out int length)
    {
        length = 0;
        var position = 0;
        while (position < text.Length)
        {
            var character = text[position];
            if (character != '%')
            {
                output[length++] = character == '+' ? ' ' : character;
                position++;
            }
            else if (TryDecodeRune(text, ref position, out var rune))
            {
                length += rune.EncodeToUtf16(output[length..]);
            }
            else
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryDecodeRune(ReadOnlySpan<char> text, ref int position, out Rune rune)
    {
        Span<byte> bytes = stackalloc byte[LongestRune];
        for (var count = 1; count <= LongestRune; count++)
        {
            if (!TryDecodeByte(text, ref position, out bytes[count - 1]))
            {
                break;
            }

            var status = Rune.DecodeFromUtf8(bytes[..count], out rune, out _);
            if (status != OperationStatus.NeedMoreData)
            {
                return status == OperationStatus.Done;
            }
        }

        rune = default;
        return false;
    }

    private static bool TryDecodeByte(ReadOnlySpan<char> text, ref int position, out byte value)
    {
        value = 0;
        if (text.Length - position < 3 || text[position] != '%' || !char.IsAsciiHexDigit(text[position + 1]) || !char.IsAsciiHexDigit(text[position + 2]))
        {
            return false;
        }

        value = (byte)((HexValue(text[position + 1]) << 4) | HexValue(text[position + 2]));
        position += 3;
        return true;
    }

    private static int HexValue(char digit) => digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}
