namespace Weir;

/// <summary>The call's deadline passed: while it waited, or while it ran.</summary>
/// <param name="message">Names the deadline and where the call was.</param>
public sealed class DeadlineExceededException(string message)
    : WeirException(CallStatus.DeadlineExceeded, WeirCodes.DeadlineExceeded, message);
