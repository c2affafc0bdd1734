using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Resuming;

namespace Weir.AspNetCore.Responses;

/// <summary>Finds the kept stream that a request continues.</summary>
internal static class ContinuedStream
{
    /// <summary>Attaches a reader to the stream that the request names, if it may continue it.</summary>
    internal static Attachment TryAttach(KeptStreams streams, HttpContext http, StringValues last, out KeptStream? stream, out KeptReader? reader)
    {
        (stream, reader) = (null, null);
        return last.Count == 1 && StreamId.TryParse(last[0], out var id, out var text) && LastEventId.TryParseIndex(text, out var index) && index < long.MaxValue && StreamKey.Of(http) is { } key
            ? streams.TryAttach(id, key, index + 1, out stream, out reader)
            : Attachment.Unknown;
    }

    /// <summary>
    /// Why the request cannot continue it. An id that never existed and another caller's have the same answer: it does not show which of them exist.
    /// </summary>
    internal static Problem Describe(Attachment attachment, Operation operation, WeirServerOptions options) => attachment == Attachment.Gone
        ? new Problem(
            StatusCodes.Status410Gone, WeirCodes.StreamGone,
            $"The items of this stream of {operation} are not kept any more: {nameof(options.ResumeWindow)} ({options.ResumeWindow}) has passed without a reader, or more than {nameof(options.ResumeBufferSize)} ({options.ResumeBufferSize} bytes) came after them. Begin a new stream, without {LastEventId.Header}.")
        : new Problem(
            StatusCodes.Status404NotFound, WeirCodes.StreamNotFound,
            $"{LastEventId.Header} names no stream of {operation} that this caller can continue here. Streams are kept by the process that began them, for the same caller, path and query. Begin a new stream, without {LastEventId.Header}.");
}
