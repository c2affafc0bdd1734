using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are responses with their bodies in memory.</summary>
internal sealed class ResponseExchange(HttpClient client) : Exchange<FanOutResult>(client)
{
    public override void Drop(FanOutResult result) => result.Dispose();

    protected override async ValueTask<FanOutResult> ReadAsync(long index, HttpResponseMessage response, Func<FanOutTiming> timing, long mostBytes, CancellationToken cancellationToken)
    {
#if NET9_0_OR_GREATER
        await response.Content.LoadIntoBufferAsync(mostBytes, cancellationToken).ConfigureAwait(false);
#else
        // The response is disposed when the token fires, which ends the read.
        await response.Content.LoadIntoBufferAsync(mostBytes).WaitAsync(cancellationToken).ConfigureAwait(false);
#endif
        return new FanOutResult(index, response, null, timing());
    }

    protected override FanOutResult Failed(long index, HttpStatusCode? statusCode, Exception failure, FanOutTiming timing) => new(index, null, failure, timing);
}
