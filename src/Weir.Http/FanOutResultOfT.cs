using System.Net;
using System.Runtime.ExceptionServices;

namespace Weir;

/// <summary>The outcome of one request of a fan-out whose responses are read by a function: a value, or an exception.</summary>
/// <typeparam name="T">What the function returns.</typeparam>
public sealed class FanOutResult<T>
{
    private readonly T _value;

    internal FanOutResult(long index, HttpStatusCode? statusCode, T value, Exception? exception, FanOutTiming timing)
    {
        Index = index;
        StatusCode = statusCode;
        _value = value;
        Exception = exception;
        Timing = timing;
    }

    /// <summary>The position of the request in the input, from 0.</summary>
    public long Index { get; }

    /// <summary>The status of the response; <c>null</c> when there was none.</summary>
    public HttpStatusCode? StatusCode { get; }

    /// <summary>What the function returned; throws <see cref="Exception"/> where there is one.</summary>
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

    /// <summary>Why there is no value; <c>null</c> when there is one.</summary>
    public Exception? Exception { get; }

    /// <summary>How long the request took, and its response to be read.</summary>
    public FanOutTiming Timing { get; }
}
