using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are what a function reads from the responses.</summary>
internal sealed class ReadingExchange<T>(HttpClient client, Func<HttpResponseMessage, CancellationToken, ValueTask<T>> read) : Exchange<FanOutResult<T>>(client)
{
    public override void Drop(FanOutResult<T> result)
    {
        // The response is disposed already; the value belongs to the function.
    }

    public override FanOutResult<T> Duplicate(long index, long first) => new(index, first);

    protected override async ValueTask<FanOutResult<T>> ReadAsync(HttpResponseMessage response, CallReport report, long mostBytes, CancellationToken cancellationToken)
    {
        using (response)
        {
            var value = await read(response, cancellationToken).ConfigureAwait(false);
            return new FanOutResult<T>(report, response.StatusCode, value, null);
        }
    }

    protected override FanOutResult<T> Failed(in CallReport report, HttpStatusCode? statusCode, Exception failure) => new(report, statusCode, default!, failure);
}
