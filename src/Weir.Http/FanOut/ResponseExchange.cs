using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are responses with their bodies in memory.</summary>
internal sealed class ResponseExchange(HttpClient client) : Exchange<HttpResponseMessage, FanOutResult>(client)
{
    public override async ValueTask<HttpResponseMessage> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
#if NET9_0_OR_GREATER
        await response.Content.LoadIntoBufferAsync(Client.MaxResponseContentBufferSize, cancellationToken).ConfigureAwait(false);
#else
        // The response is disposed when the token fires, which ends the read.
        await response.Content.LoadIntoBufferAsync(Client.MaxResponseContentBufferSize).WaitAsync(cancellationToken).ConfigureAwait(false);
#endif
        return response;
    }

    public override FanOutResult Complete(in CallReport report, HttpResponseMessage response, HttpResponseMessage value) => new(report, value, null);

    public override FanOutResult Fail(in CallReport report, HttpStatusCode? statusCode, Exception failure) => new(report, null, failure);

    public override FanOutResult Duplicate(long index, long first) => new(index, first);

    public override void Drop(FanOutResult result) => result.Dispose();
}
