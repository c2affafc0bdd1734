using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;

namespace Weir.Runtime;

/// <summary>Writes text as a JSON string, as <see cref="JavaScriptEncoder.UnsafeRelaxedJsonEscaping"/> escapes it.</summary>
internal static class JsonString
{
    // A loop over characters takes less time for short text, and a vector for long text.
    private const int ShortText = 16;

    // What is escaped at a time.
    private const int Piece = 256;

    // ASCII that no JSON string escapes.
    private static readonly SearchValues<char> Plain = SearchValues.Create(
        " !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    /// <summary>Writes text; a lone surrogate becomes an escaped U+FFFD.</summary>
    internal static void Write(PayloadWriter output, ReadOnlySpan<char> text)
    {
        var span = output.GetSpan(text.Length + 2);
        if (!TryCopy(text, span.Slice(1, text.Length)))
        {
            WriteEscaped(output, text);
            return;
        }

        span[0] = (byte)'"';
        span[text.Length + 1] = (byte)'"';
        output.Advance(text.Length + 2);
    }

    private static bool TryCopy(ReadOnlySpan<char> text, Span<byte> span)
    {
        if (text.Length > ShortText)
        {
            return !text.ContainsAnyExcept(Plain) && Ascii.FromUtf16(text, span, out _) == OperationStatus.Done;
        }

        for (var i = 0; i < text.Length; i++)
        {
            var character = text[i];
            if (character is < ' ' or > '~' or '"' or '\\')
            {
                return false;
            }

            span[i] = (byte)character;
        }

        return true;
    }

    // The encoder is made at its first use: a worker that never needs it does not pay for it.
    private static void WriteEscaped(PayloadWriter output, ReadOnlySpan<char> text)
    {
        Span<char> escaped = stackalloc char[Piece];
        output.Write("\""u8);
        while (!text.IsEmpty)
        {
            // Surrogates are escaped, always: no piece ends between two of them.
            JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(text, escaped, out var taken, out var length);
            output.WriteText(escaped[..length]);
            text = text[taken..];
        }

        output.Write("\""u8);
    }
}
