using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>Where the items of one response come from, and what the end of the response means for them. Used by one flow.</summary>
internal abstract class StreamFeed
{
    /// <summary>The call that produces the items: status and headers are its own.</summary>
    internal abstract StreamCall Call { get; }

    /// <summary>The index of the first item, once the source exists; <c>null</c> for 0.</summary>
    internal virtual Func<long>? First => null;

    /// <summary>Is notified of the index of the next item that is not sent yet; <c>null</c> where that does not matter.</summary>
    internal virtual Action<long>? OnSent => null;

    /// <summary>Whether an item that is there is sent soon, also where the operation would rather have many sent together: those who made it do not wait for its reader.</summary>
    internal virtual bool SendsSoon => OnSent is not null;

    /// <summary>The id by which the stream can be continued; <c>null</c> where there is none, or an item's index is enough.</summary>
    internal virtual string? StreamName => null;

    /// <summary>Whether the request continues a stream.</summary>
    internal virtual bool IsContinued => false;

    /// <summary>Whether a reader can continue the stream.</summary>
    internal abstract bool CanContinue { get; }

    /// <summary>Whether a reader can continue the stream on another host, so that this one need not wait for its end when it stops.</summary>
    internal abstract bool CanMove { get; }

    /// <summary>Is cancelled when a later response continues the stream.</summary>
    internal virtual CancellationToken Displaced => CancellationToken.None;

    /// <summary>Whether a later response continues the stream.</summary>
    internal virtual bool IsDisplaced => false;

    /// <summary>Sends the items; completes after the last.</summary>
    /// <param name="http">The request; its token is the response's.</param>
    /// <param name="stream">The response.</param>
    internal abstract ValueTask SendAsync(HttpContext http, ResponseStream stream);

    /// <summary>Whether a call that did not fail has no stream to send.</summary>
    internal abstract ValueTask<bool> IsAbsentAsync(HttpContext http, ResponseStream stream);

    /// <summary>Whether the failure of the call is to be logged: once for each call.</summary>
    internal virtual bool TryReportFailure() => true;

    /// <summary>Whether the items are kept for a reader that connects again.</summary>
    internal virtual bool IsKept => false;

    /// <summary>What stops when the reader leaves, for the log; <c>null</c> for what produces the items.</summary>
    internal virtual string? Stops => null;

    /// <summary>What went wrong, where the feed knows better than the operation; <c>null</c> otherwise.</summary>
    internal virtual Problem? Describe(Exception error) => null;

    /// <summary>The response has ended.</summary>
    internal virtual void Release(ResponseStream stream)
    {
    }
}
