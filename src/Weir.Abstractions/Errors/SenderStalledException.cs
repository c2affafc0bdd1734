namespace Weir;

/// <summary>A streamed request was ended because its sender was silent for too long while the operation waited for an item.</summary>
/// <param name="message">Names the limit and the next step.</param>
public sealed class SenderStalledException(string message)
    : WeirException(CallStatus.BadRequest, WeirCodes.SenderStalled, message);
