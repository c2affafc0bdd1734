using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>Writes an item as one JSON value without line breaks.</summary>
internal static class ItemEncoding
{
    internal static void Write(ItemSource source, PayloadWriter output)
    {
        if (source is EncodedItemSource encoded && !output.ReplacesGeneratedCode)
        {
            WriteFlat(encoded.Current.Span, output);
        }
        else
        {
            source.WriteCurrent(output);
        }
    }

    // A line break in JSON is white space, but it would end the line or event that contains the item.
    private static void WriteFlat(ReadOnlySpan<byte> item, PayloadWriter output)
    {
        for (var end = item.IndexOfAny((byte)'\n', (byte)'\r'); end >= 0; end = item.IndexOfAny((byte)'\n', (byte)'\r'))
        {
            output.Write(item[..end]);
            output.Write(" "u8);
            item = item[(end + 1)..];
        }

        output.Write(item);
    }
}
