using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are what a function reads from the responses.</summary>
internal sealed class ReadingExchange<T>(HttpClient client, Func<HttpResponseMessage, CancellationToken, ValueTask<T>> read) : Exchange<FanOutResult<T>>(client)
{
    public override void Drop(FanOutResult<T> result)
    {
        // The response is disposed already; the value belongs to the function.
    }

    protected override async ValueTask<FanOutResult<T>> ReadAsync(long index, HttpResponseMessage response, Func<FanOutTiming> timing, long mostBytes, CancellationToken cancellationToken)
    {
        using (response)
        {
            var value = await read(response, cancellationToken).ConfigureAwait(false);
            return new FanOutResult<T>(index, response.StatusCode, value, null, timing());
        }
    }

    protected override FanOutResult<T> Failed(long index, HttpStatusCode? statusCode, Exception failure, FanOutTiming timing) => new(index, statusCode, default!, failure, timing);
}
