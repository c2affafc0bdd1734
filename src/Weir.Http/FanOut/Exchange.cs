using System.Globalization;
using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Sends one request and makes its result, whatever happens. Used concurrently.</summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
internal abstract class Exchange<TResult>(HttpClient client)
{
    /// <summary>Sends the request. Throws nothing: a failure is a result.</summary>
    public async Task<TResult> RunAsync(FanOutCall call, TimeProvider time, CancellationToken cancellationToken)
    {
        var sentAt = time.GetTimestamp();
        TimeSpan? firstByte = null;
        HttpResponseMessage? response = null;
        try
        {
            // 1. The headers: the client applies its own time limit.
            response = await client.SendAsync(call.Request, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            firstByte = time.GetElapsedTime(sentAt);

            // 2. The rest, within what is left of it.
            return await FinishAsync(call, response, time, sentAt, firstByte.Value, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            response?.Dispose();
            return Failed(call.Index, response?.StatusCode, failure, Timing());
        }

        FanOutTiming Timing() => new(time.GetElapsedTime(call.ReadAt, sentAt), firstByte, time.GetElapsedTime(sentAt));
    }

    /// <summary>No code takes this result: releases what it holds.</summary>
    public abstract void Drop(TResult result);

    /// <summary>The host of a request: scheme, name and port; empty where the address is missing.</summary>
    public string HostOf(HttpRequestMessage? request)
    {
        var address = request?.RequestUri is { IsAbsoluteUri: true } absolute ? absolute : client.BaseAddress;
        return address is null ? "" : address.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped);
    }

    /// <summary>Reads the response. What it throws is the failure of the request, and the response is disposed then.</summary>
    protected abstract ValueTask<TResult> ReadAsync(long index, HttpResponseMessage response, Func<FanOutTiming> timing, long mostBytes, CancellationToken cancellationToken);

    /// <summary>The result of a request that failed.</summary>
    protected abstract TResult Failed(long index, HttpStatusCode? statusCode, Exception failure, FanOutTiming timing);

    private async Task<TResult> FinishAsync(FanOutCall call, HttpResponseMessage response, TimeProvider time, long sentAt, TimeSpan firstByte, CancellationToken cancellationToken)
    {
        Func<FanOutTiming> timing = () => new FanOutTiming(time.GetElapsedTime(call.ReadAt, sentAt), firstByte, time.GetElapsedTime(sentAt));
        if (client.Timeout == Timeout.InfiniteTimeSpan)
        {
            return await ReadAsync(call.Index, response, timing, client.MaxResponseContentBufferSize, cancellationToken).ConfigureAwait(false);
        }

        var left = client.Timeout - firstByte;
        using var late = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, time);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            return await ReadAsync(call.Index, response, timing, client.MaxResponseContentBufferSize, limit.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (late.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            var message = string.Create(CultureInfo.InvariantCulture, $"The response was not read within {nameof(HttpClient)}.{nameof(HttpClient.Timeout)}, which is {client.Timeout}. Set a longer one, or read less.");
            throw new TaskCanceledException(message, new TimeoutException(message, failure), late.Token);
        }
    }
}
