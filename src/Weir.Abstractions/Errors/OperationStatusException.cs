namespace Weir;

/// <summary>
/// Completes the call with a status that the operation chooses, from anywhere inside it. It is not a failure of the operation:
/// it is not logged as one.
/// </summary>
public sealed class OperationStatusException : WeirException
{
    /// <summary>Completes the call with a status.</summary>
    /// <param name="statusCode">The HTTP status, 300 to 599 (RFC 9110 §15).</param>
    /// <param name="content">The body as plain text; <c>null</c> sends problem details.</param>
    /// <param name="headers">Headers to add to the response; <c>null</c> adds none.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="statusCode"/> is below 300 or above 599.</exception>
    public OperationStatusException(int statusCode, string? content = null, IReadOnlyDictionary<string, string>? headers = null)
        : base(CallStatus.HandlerFailed, WeirCodes.OperationStatus, content ?? $"The operation answered with status {statusCode}.")
    {
        if (statusCode is < 300 or > 599)
        {
            throw new ArgumentOutOfRangeException(nameof(statusCode), statusCode, "The status of an OperationStatusException must be from 300 to 599.");
        }

        StatusCode = statusCode;
        Content = content;
        Headers = headers;
    }

    /// <summary>The HTTP status.</summary>
    public int StatusCode { get; }

    /// <summary>The body as plain text; <c>null</c> sends problem details.</summary>
    public string? Content { get; }

    /// <summary>Headers to add to the response; <c>null</c> adds none.</summary>
    public IReadOnlyDictionary<string, string>? Headers { get; }
}
