using System.Buffers;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// The member <c>$weir</c>, by which a line of marked NDJSON says how a stream ended. An item that is an object with such a member travels
/// inside of one, so that no data looks like the end of the stream.
/// </summary>
internal static class ReservedMember
{
    private static ReadOnlySpan<byte> Name => "$weir"u8;

    /// <summary>Wraps the item at the end of the output, if it is an object with the member.</summary>
    /// <param name="output">Ends with the item, one JSON value.</param>
    /// <param name="start">Where the item begins.</param>
    internal static void Wrap(PayloadWriter output, int start)
    {
        var item = output.WrittenSpan[start..];
        if (!MayContain(item) || !Contains(item))
        {
            return;
        }

        var length = item.Length;
        var copy = ArrayPool<byte>.Shared.Rent(length);
        item.CopyTo(copy);
        output.Truncate(start);
        output.Write("{\"$weir\":{\"item\":"u8);
        output.Write(copy.AsSpan(0, length));
        output.Write("}}"u8);
        ArrayPool<byte>.Shared.Return(copy);
    }

    // Every item passes here: two searches, each a few bytes per nanosecond. The characters of the name can only be written as themselves or
    // as \u escapes.
    private static bool MayContain(ReadOnlySpan<byte> item) =>
        item.TrimStart(" \t\r\n"u8) is [(byte)'{', ..] && (item.IndexOf("$weir\""u8) >= 0 || item.IndexOf("\\u"u8) >= 0);

    private static bool Contains(ReadOnlySpan<byte> item)
    {
        var json = new Utf8JsonReader(item, new JsonReaderOptions { MaxDepth = int.MaxValue });
        try
        {
            json.Read();
            while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
            {
                if (json.ValueTextEquals(Name))
                {
                    return true;
                }

                json.Skip();
            }
        }
        catch (JsonException)
        {
            // A worker in another language may send what is no JSON. Its reader fails at it, and must not take it for the end.
            return true;
        }

        return false;
    }
}
