using Weir.Http.FanOut;

namespace Weir;

/// <summary>The outcome of one request of a fan-out: a response with any status, or an exception.</summary>
/// <remarks>The code that takes it owns the response; <see cref="Dispose"/> disposes it. The body is already in memory.</remarks>
public sealed class FanOutResult : IDisposable
{
    internal FanOutResult(in CallReport report, HttpResponseMessage? response, Exception? exception)
    {
        Index = report.Index;
        Response = response;
        Exception = exception;
        Attempts = report.Attempts;
        Timing = report.Timing;
    }

    internal FanOutResult(long index, long first)
    {
        Index = index;
        DuplicateOf = first;
    }

    /// <summary>The position of the request in the input, from 0.</summary>
    public long Index { get; }

    /// <summary>The response, with any status; <c>null</c> when there was none, or the request is a duplicate.</summary>
    public HttpResponseMessage? Response { get; }

    /// <summary>Why there is no response; <c>null</c> when there is one, or the request is a duplicate. As <see cref="HttpClient.SendAsync(HttpRequestMessage)"/> throws it.</summary>
    public Exception? Exception { get; }

    /// <summary>The index of the equal request that was sent instead, with <see cref="FanOutOptions.SendsEqualOnce"/>; otherwise <c>null</c>.</summary>
    public long? DuplicateOf { get; }

    /// <summary>
    /// How often the request was sent: more than once where a handler repeats it. Counted by
    /// <see cref="FanOutHttpClientBuilderExtensions.AddFanOutLimits"/>, added after that handler; without it, 1. 0 for a duplicate.
    /// </summary>
    public int Attempts { get; }

    /// <summary>How long the request took.</summary>
    public FanOutTiming Timing { get; }

    /// <summary>Disposes the response, if there is one. May be called more than once.</summary>
    public void Dispose() => Response?.Dispose();
}
