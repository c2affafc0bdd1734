using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// The formats one operation can answer in, the one that its result prefers first. Made once per operation; immutable.
/// </summary>
internal sealed class Formats
{
    private static readonly JsonFormat Json = new();
    private static readonly TextFormat Text = new();
    private static readonly OctetStreamFormat OctetStream = new();

    private static readonly RawStreamFormat RawStream = new();

    private static readonly IFormat[] Streams =
    [
        new JsonArrayFormat(),
        .. Lines(MediaTypes.Ndjson),
        .. Lines(MediaTypes.PlainNdjson),
        .. Lines(MediaTypes.Jsonl),
        new SseFormat(),
    ];

    private readonly IFormat[] _candidates;
    private readonly bool _isFixed;

    private Formats(IFormat[] candidates, bool isFixed = false) => (_candidates, _isFixed) = (candidates, isFixed);

    /// <summary>The format of a null result, whatever was requested.</summary>
    internal static IResultFormat Null => Json;

    /// <summary>All of them, the preferred one first.</summary>
    internal ReadOnlySpan<IFormat> Candidates => _candidates;

    /// <summary>The extensions that name one of them.</summary>
    internal IEnumerable<string> Extensions => _isFixed ? [] : _candidates.Select(static format => format.Extension).Distinct(StringComparer.Ordinal);

    /// <summary>The media types, as text for people.</summary>
    internal string Describe() => string.Join(", ", _candidates.Select(static format => format.MediaType).Distinct(StringComparer.Ordinal));

    /// <summary>The formats of an operation.</summary>
    internal static Formats Of(Operation operation) => IsFixed(operation) ? new Formats([Bytes(operation)], isFixed: true) : new Formats(operation.ResultKind switch
    {
        ResultKind.Text => [Text, Json],
        ResultKind.Bytes => [Bytes(operation), Json],
        ResultKind.Stream => operation.StreamsBytes ? [operation.MediaType is { } declared ? new RawStreamFormat(declared) : RawStream, .. Streams] : Streams,
        _ => [Json],
    });

    /// <summary>Whether the result itself is the response: no extension chooses anything, and <c>Accept</c> at most refuses the declared media type.</summary>
    internal static bool IsFixed(Operation operation) => operation.ResultKind is ResultKind.Http or ResultKind.Raw;

    /// <summary>Those of them that an extension names; <c>null</c> for none.</summary>
    internal Formats? WithExtension(string extension)
    {
        var named = Array.FindAll(_candidates, format => string.Equals(format.Extension, extension, StringComparison.OrdinalIgnoreCase));
        return named.Length == 0 ? null : new Formats(named);
    }

    private static OctetStreamFormat Bytes(Operation operation) => operation.MediaType is { } declared ? new OctetStreamFormat(declared) : OctetStream;

    private static IFormat[] Lines(string mediaType) => [new NdjsonFormat(mediaType, marked: false), new NdjsonFormat(mediaType, marked: true)];
}
