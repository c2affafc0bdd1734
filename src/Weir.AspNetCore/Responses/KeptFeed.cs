using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>The items that are kept of a call, which continues to run when the response ends.</summary>
/// <param name="streams">All that are kept.</param>
/// <param name="stream">Keeps the items.</param>
/// <param name="reader">Reads them for this response.</param>
/// <param name="isContinued">Whether the request has named the stream.</param>
internal sealed class KeptFeed(KeptStreams streams, KeptStream stream, KeptReader reader, bool isContinued) : StreamFeed
{
    internal override StreamCall Call => stream.Call;

    internal override Func<long>? First => () => reader.First;

    internal override Action<long>? OnSent => reader.OnSent;

    internal override string? StreamName { get; } = stream.Id.ToString();

    internal override bool IsContinued => isContinued;

    internal override bool CanContinue => true;

    // Only this process has the items.
    internal override bool CanMove => false;

    internal override CancellationToken Displaced => reader.Displaced;

    internal override bool IsDisplaced => reader.IsDisplaced;

    internal override ValueTask SendAsync(HttpContext http, ResponseStream response)
    {
        reader.Aborted = http.RequestAborted;
        return response.PumpAsync(reader, http.RequestAborted);
    }

    internal override async ValueTask<bool> IsAbsentAsync(HttpContext http, ResponseStream response)
    {
        await response.CloseAsync();
        return stream.IsAbsent && !response.IsCommitted;
    }

    internal override bool IsKept => true;

    internal override bool TryReportFailure() => stream.TryReportFailure();

    // A client that was sent nothing does not know the stream's id.
    internal override void Release(ResponseStream response) => streams.Release(stream, reader, isKnown: isContinued || response.IsCommitted);
}
