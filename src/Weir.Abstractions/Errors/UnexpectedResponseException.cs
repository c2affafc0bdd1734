namespace Weir;

/// <summary>A client received a successful response that is not what the contract says: another media type, or JSON of another shape.</summary>
public sealed class UnexpectedResponseException : WeirException
{
    /// <summary>Describes a response.</summary>
    /// <param name="message">Names the operation, what was received and what was expected.</param>
    /// <param name="inner">What the reader threw; <c>null</c> for nothing.</param>
    public UnexpectedResponseException(string message, Exception? inner = null)
        : base(CallStatus.ProtocolViolation, WeirCodes.UnexpectedResponse, message, inner)
    {
    }
}
