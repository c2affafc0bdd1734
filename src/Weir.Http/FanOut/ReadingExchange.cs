using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Its results are what a function reads from the responses.</summary>
internal sealed class ReadingExchange<T>(HttpClient client, Func<HttpResponseMessage, CancellationToken, ValueTask<T>> read) : Exchange<T, FanOutResult<T>>(client)
{
    public override ValueTask<T> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken) => read(response, cancellationToken);

    public override FanOutResult<T> Complete(in CallReport report, HttpResponseMessage response, T value)
    {
        response.Dispose();
        return new FanOutResult<T>(report, response.StatusCode, value, null);
    }

    public override FanOutResult<T> Fail(in CallReport report, HttpStatusCode? statusCode, Exception failure) => new(report, statusCode, default!, failure);

    public override FanOutResult<T> Duplicate(long index, long first) => new(index, first);

    public override void Drop(FanOutResult<T> result)
    {
        // The response is disposed already; the value belongs to the function.
    }
}
