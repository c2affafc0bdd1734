using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>Writes an item as one JSON value without line breaks: in JSON they are white space, but they would end the line or event that contains the item.</summary>
internal static class ItemEncoding
{
    internal static void Write(ItemSource source, PayloadWriter output)
    {
        var before = output.Length;
        source.WriteCurrent(output);
        output.Flatten(before, isForeign: source is EncodedItemSource);
    }

    internal static void Write(BlockingItemSource source, PayloadWriter output)
    {
        var before = output.Length;
        source.WriteCurrent(output);
        output.Flatten(before, isForeign: false);
    }
}
