namespace Weir;

/// <summary>The outcome of one request of a fan-out: a response with any status, or an exception.</summary>
/// <remarks>The code that takes it owns the response; <see cref="Dispose"/> disposes it. The body is already in memory.</remarks>
public sealed class FanOutResult : IDisposable
{
    internal FanOutResult(long index, HttpResponseMessage? response, Exception? exception, FanOutTiming timing)
    {
        Index = index;
        Response = response;
        Exception = exception;
        Timing = timing;
    }

    /// <summary>The position of the request in the input, from 0.</summary>
    public long Index { get; }

    /// <summary>The response, with any status; <c>null</c> when there was none.</summary>
    public HttpResponseMessage? Response { get; }

    /// <summary>Why there is no response; <c>null</c> when there is one. As <see cref="HttpClient.SendAsync(HttpRequestMessage)"/> throws it.</summary>
    public Exception? Exception { get; }

    /// <summary>How long the request took.</summary>
    public FanOutTiming Timing { get; }

    /// <summary>Disposes the response, if there is one. May be called more than once.</summary>
    public void Dispose() => Response?.Dispose();
}
