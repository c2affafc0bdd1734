using System.Text;

namespace Weir.Load.Measuring;

/// <summary>What one item of a stream is.</summary>
internal enum ItemFormat
{
    /// <summary>A piece of the body as it arrives.</summary>
    Piece,

    /// <summary>A line that is not empty.</summary>
    Line,

    /// <summary>An event of <c>text/event-stream</c> with data; a comment is none.</summary>
    Event,
}

/// <summary>Which format a media type has.</summary>
internal static class ItemFormats
{
    /// <summary>Of the value of a <c>Content-Type</c> header.</summary>
    public static ItemFormat Of(ReadOnlySpan<byte> contentType) =>
        IsMediaType(contentType, "text/event-stream"u8) ? ItemFormat.Event
        : IsMediaType(contentType, "application/x-ndjson"u8) || IsMediaType(contentType, "application/jsonl"u8) ? ItemFormat.Line
        : ItemFormat.Piece;

    private static bool IsMediaType(ReadOnlySpan<byte> contentType, ReadOnlySpan<byte> type) =>
        contentType.Length >= type.Length
        && Ascii.EqualsIgnoreCase(contentType[..type.Length], type)
        && (contentType.Length == type.Length || contentType[type.Length] is (byte)';' or (byte)' ' or (byte)'\t');
}
