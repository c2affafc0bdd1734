using System.Net;
using System.Runtime.ExceptionServices;
using Weir.Http.FanOut;

namespace Weir;

/// <summary>The outcome of one request of a fan-out whose responses are read by a function: a value, or an exception.</summary>
/// <typeparam name="T">What the function returns.</typeparam>
public sealed class FanOutResult<T>
{
    private readonly T _value;

    internal FanOutResult(in CallReport report, HttpStatusCode? statusCode, T value, Exception? exception)
    {
        Index = report.Index;
        StatusCode = statusCode;
        _value = value;
        Exception = exception;
        Attempts = report.Attempts;
        Timing = report.Timing;
    }

    internal FanOutResult(long index, long first)
    {
        Index = index;
        _value = default!;
        DuplicateOf = first;
    }

    /// <summary>The position of the request in the input, from 0.</summary>
    public long Index { get; }

    /// <summary>The status of the response; <c>null</c> when there was none.</summary>
    public HttpStatusCode? StatusCode { get; }

    /// <summary>What the function returned; throws <see cref="Exception"/> where there is one. The default of its type for a duplicate.</summary>
    public T Value
    {
        get
        {
            if (Exception is not null)
            {
                ExceptionDispatchInfo.Throw(Exception);
            }

            return _value;
        }
    }

    /// <summary>Why there is no value; <c>null</c> when there is one, or the request is a duplicate.</summary>
    public Exception? Exception { get; }

    /// <summary>The index of the equal request that was sent instead, with <see cref="FanOutOptions.SendsEqualOnce"/>; otherwise <c>null</c>.</summary>
    public long? DuplicateOf { get; }

    /// <summary>
    /// How often the request was sent: more than once where a handler repeats it. Counted by
    /// <see cref="FanOutHttpClientBuilderExtensions.AddFanOutLimits"/>, added after that handler; without it, 1. 0 for a duplicate.
    /// </summary>
    public int Attempts { get; }

    /// <summary>How long the request took, and its response to be read.</summary>
    public FanOutTiming Timing { get; }
}
