using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>JSON by hand: what every writer must look at and copy, and nothing else.</summary>
internal static class RawJson
{
    private const int LongestEscape = 6;

    // What a string may not hold as it is.
    private static readonly SearchValues<char> Escaped = SearchValues.Create([.. Enumerable.Range(0, 0x20).Select(static code => (char)code), '"', '\\', '\u007f']);

    /// <summary>How many bytes a string may take at the most.</summary>
    public static int LengthOf(ReadOnlySpan<char> text) => (text.Length * LongestEscape) + 2;

    /// <summary>Writes a string with its quotes and says how long it is.</summary>
    public static int String(Span<byte> to, ReadOnlySpan<char> text)
    {
        to[0] = (byte)'"';
        var length = text.ContainsAny(Escaped)
            ? Encoding.UTF8.GetBytes(JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(text.ToString()), to[1..])
            : Encoding.UTF8.GetBytes(text, to[1..]);
        to[length + 1] = (byte)'"';
        return length + 2;
    }

    /// <summary>Writes a sample and says how long it is.</summary>
    public static int Sample(Span<byte> to, Sample sample)
    {
        var at = Append(to, 0, "{\"id\":"u8);
        Utf8Formatter.TryFormat(sample.Id, to[at..], out var digits);
        at = Append(to, at + digits, ",\"name\":"u8);
        at += String(to[at..], sample.Name);
        at = Append(to, at, ",\"value\":"u8);
        sample.Value.TryFormat(to[at..], out digits, default, CultureInfo.InvariantCulture);
        return Append(to, at + digits, "}"u8);
    }

    /// <summary>Copies bytes to a place and says where they end.</summary>
    public static int Append(Span<byte> to, int at, ReadOnlySpan<byte> part)
    {
        part.CopyTo(to[at..]);
        return at + part.Length;
    }
}
