namespace Weir;

/// <summary>A stream was ended because its reader took no bytes for too long: it would have kept a worker from other calls.</summary>
/// <param name="message">Names the limit and the next step.</param>
public sealed class ReaderStalledException(string message)
    : WeirException(CallStatus.Cancelled, WeirCodes.ReaderStalled, message);
