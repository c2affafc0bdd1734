using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are responses with their bodies in memory.</summary>
internal sealed class ResponseExchange(HttpClient client) : Exchange<FanOutResult>(client)
{
    public override void Drop(FanOutResult result) => result.Dispose();

    public override FanOutResult Duplicate(long index, long first) => new(index, first);

    protected override async ValueTask<FanOutResult> ReadAsync(HttpResponseMessage response, CallReport report, long mostBytes, CancellationToken cancellationToken)
    {
#if NET9_0_OR_GREATER
        await response.Content.LoadIntoBufferAsync(mostBytes, cancellationToken).ConfigureAwait(false);
#else
        // The response is disposed when the token fires, which ends the read.
        await response.Content.LoadIntoBufferAsync(mostBytes).WaitAsync(cancellationToken).ConfigureAwait(false);
#endif
        return new FanOutResult(report, response, null);
    }

    protected override FanOutResult Failed(in CallReport report, HttpStatusCode? statusCode, Exception failure) => new(report, null, failure);
}
