namespace Weir;

/// <summary>A worker sent something the protocol does not allow; its channel was closed and its process ended.</summary>
/// <param name="message">What was read and what was expected.</param>
public sealed class ProtocolViolationException(string message)
    : WeirException(CallStatus.ProtocolViolation, WeirCodes.ProtocolViolation, message);
