using System.Globalization;
using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Sends one request and makes its result, whatever happens. Used concurrently.</summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
internal abstract class Exchange<TResult>(HttpClient client)
{
    /// <summary>What relative addresses are relative to.</summary>
    public Uri? BaseAddress => client.BaseAddress;

    /// <summary>Sends a request that was started. Throws nothing: a failure is a result.</summary>
    public async ValueTask<TResult> RunAsync(FanOutCall call, RequestLimiter limiter, TimeProvider time, CancellationToken cancellationToken)
    {
        var report = new CallReport(call, AttemptCounter.AddTo(call.Request), time);
        HttpResponseMessage? response = null;
        try
        {
            // 1. The headers: the client applies its own time limit.
            response = await client.SendAsync(call.Request, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            report = report with { FirstByte = time.GetElapsedTime(call.StartedAt) };
            limiter.HeadersArrived(call, response);

            // 2. The rest, within what is left of it.
            return await FinishAsync(response, report, time, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            response?.Dispose();
            return Failed(report, response?.StatusCode, failure);
        }
    }

    /// <summary>No code takes this result: releases what it holds.</summary>
    public abstract void Drop(TResult result);

    /// <summary>The result of a request that was not sent because it is equal to an earlier one.</summary>
    public abstract TResult Duplicate(long index, long first);

    /// <summary>Where a request goes; <c>null</c> where the address is missing.</summary>
    public Uri? AddressOf(HttpRequestMessage? request) => request?.RequestUri is { IsAbsoluteUri: true } absolute ? absolute : client.BaseAddress;

    /// <summary>Reads the response. What it throws is the failure of the request, and the response is disposed then.</summary>
    protected abstract ValueTask<TResult> ReadAsync(HttpResponseMessage response, CallReport report, long mostBytes, CancellationToken cancellationToken);

    /// <summary>The result of a request that failed.</summary>
    protected abstract TResult Failed(in CallReport report, HttpStatusCode? statusCode, Exception failure);

    private ValueTask<TResult> FinishAsync(HttpResponseMessage response, CallReport report, TimeProvider time, CancellationToken cancellationToken) =>
        client.Timeout == Timeout.InfiniteTimeSpan
            ? ReadAsync(response, report, client.MaxResponseContentBufferSize, cancellationToken)
            : ReadInTimeAsync(response, report, time, cancellationToken);

    private async ValueTask<TResult> ReadInTimeAsync(HttpResponseMessage response, CallReport report, TimeProvider time, CancellationToken cancellationToken)
    {
        var left = client.Timeout - report.FirstByte!.Value;
        using var limit = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, time);
        using var registration = cancellationToken.UnsafeRegister(static limit => ((CancellationTokenSource)limit!).Cancel(), limit);
        try
        {
            return await ReadAsync(response, report, client.MaxResponseContentBufferSize, limit.Token).ConfigureAwait(false);
        }
        catch (Exception failure) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            var message = string.Create(CultureInfo.InvariantCulture, $"The response was not read within {nameof(HttpClient)}.{nameof(HttpClient.Timeout)}, which is {client.Timeout}. Set a longer one, or read less.");
            throw new TaskCanceledException(message, new TimeoutException(message, failure), limit.Token);
        }
    }
}
