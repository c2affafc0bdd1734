using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>
/// What is sent of the content that an operation returned: all of it, the range that the reader asked for where the stream can seek, or nothing where the
/// reader has it already. Decided from the headers that the operation chose, the same in the host and in a worker. Immutable.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ContentSelection
{
    private const int Partial = 206;
    private const int NotModified = 304;
    private const int Unsatisfiable = 416;
    private const string Bytes = "bytes";
    private const string AcceptRanges = "Accept-Ranges";
    private const string ContentLength = "Content-Length";
    private const string ContentRange = "Content-Range";
    private const string EntityTag = "ETag";
    private const string LastModified = "Last-Modified";

    private readonly IEnumerable<KeyValuePair<string, string>>? _chosen;
    private readonly string? _range;
    private readonly bool _acceptsRanges;

    private ContentSelection(Operation operation, Stream content, IDictionary<string, string>? chosen, RequestConditions? conditions)
    {
        (Operation, _chosen, IsSeekable) = (operation, chosen, content.CanSeek);
        Length = ReadLength(operation, content, chosen);
        HasContent = true;
        if (conditions?.IfNoneMatch is { } known && EntityTags.Names(known, Find(chosen, EntityTag)))
        {
            (Status, HasContent, Length) = (NotModified, false, null);
            return;
        }

        // An operation that says that it takes no ranges is not asked for one.
        _acceptsRanges = IsSeekable && (Find(chosen, AcceptRanges)?.Equals(Bytes, StringComparison.OrdinalIgnoreCase) ?? true);
        if (!_acceptsRanges || conditions?.Range is not { } range || Length is not { } length
            || (conditions.IfRange is { } condition && !EntityTags.IsUnchanged(condition, Find(chosen, EntityTag), Find(chosen, LastModified)))
            || !ByteRange.TrySelect(range, length, out var first, out var count))
        {
            return;
        }

        if (first < 0)
        {
            (Status, HasContent, Length, _range) = (Unsatisfiable, false, 0, string.Create(CultureInfo.InvariantCulture, $"bytes */{length}"));
            return;
        }

        (Status, Offset, Length, _range) = (Partial, first, count, string.Create(CultureInfo.InvariantCulture, $"bytes {first}-{first + count - 1}/{length}"));
    }

    // The operation chose a status: what it says and returns is sent as it is.
    private ContentSelection(Operation operation, Stream content, IDictionary<string, string>? chosen)
    {
        (Operation, _chosen, IsSeekable) = (operation, chosen, content.CanSeek);
        Length = ReadLength(operation, content, chosen);
        HasContent = true;
    }

    /// <summary>206, 304 or 416 where the conditions decide the status; <c>null</c> where the operation does.</summary>
    public int? Status { get; }

    /// <summary>Whether there is something to send. Otherwise the content is not read.</summary>
    public bool HasContent { get; }

    /// <summary>Where in the content the selected bytes begin: how many bytes after its position. 0 where it cannot seek.</summary>
    public long Offset { get; }

    /// <summary>How many bytes are sent; <c>null</c> where that is not known before the content ends, or where a length would mean something else.</summary>
    public long? Length { get; }

    internal Operation Operation { get; }

    internal bool IsSeekable { get; }

    /// <summary>Decides. The content is neither read nor moved.</summary>
    /// <param name="operation">What returned the content.</param>
    /// <param name="content">At its position begins what the operation returned.</param>
    /// <param name="status">The status that the operation chose; <c>null</c> for none. With another one than 200 there are no conditions.</param>
    /// <param name="headers">The headers that it chose, whose names have any case; <c>null</c> for none.</param>
    /// <param name="conditions">What the reader asks for; <c>null</c> for all of the content.</param>
    /// <exception cref="InvalidOperationException">The operation set <c>Content-Length</c> to something else than the length of its content.</exception>
    public static ContentSelection Of(Operation operation, Stream content, int? status, IDictionary<string, string>? headers, RequestConditions? conditions)
    {
        ArgumentNullException.ThrowIfNull(operation);
        ArgumentNullException.ThrowIfNull(content);
        return status is null or 200 ? new ContentSelection(operation, content, headers, conditions) : new ContentSelection(operation, content, headers);
    }

    /// <summary>All headers to send: those of the operation that are true of what is sent, and those of the selection, with <c>Content-Length</c> where it is known.</summary>
    public Dictionary<string, string> Headers()
    {
        var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var (name, value) in _chosen ?? [])
        {
            if (HasContent || !DescribesContent(name))
            {
                headers[name] = value;
            }
        }

        headers.Remove(ContentLength);
        if (Length is { } length)
        {
            headers[ContentLength] = length.ToString(CultureInfo.InvariantCulture);
        }

        if (_acceptsRanges)
        {
            headers[AcceptRanges] = Bytes;
        }

        if (_range is not null)
        {
            headers[ContentRange] = _range;
        }

        return headers;
    }

    private static string? Find(IDictionary<string, string>? headers, string name) => headers is not null && headers.TryGetValue(name, out var value) ? value : null;

    private static bool DescribesContent(string name) =>
        name.StartsWith("Content-", StringComparison.OrdinalIgnoreCase)
        && !name.Equals("Content-Location", StringComparison.OrdinalIgnoreCase)
        && !name.StartsWith("Content-Security-Policy", StringComparison.OrdinalIgnoreCase);

    private static long? ReadLength(Operation operation, Stream content, IDictionary<string, string>? chosen)
    {
        long? known = content.CanSeek ? Math.Max(0, content.Length - content.Position) : null;
        if (Find(chosen, ContentLength) is not { } said)
        {
            return known;
        }

        if (!long.TryParse(said, NumberStyles.None, CultureInfo.InvariantCulture, out var length))
        {
            throw new InvalidOperationException($"{operation} set Content-Length to '{said}'; set it to a number of bytes.");
        }

        return known is null || known == length
            ? length
            : throw new InvalidOperationException($"{operation} set Content-Length to {length}, and returned a stream of {known} bytes; set the length of the stream, or set none.");
    }
}
