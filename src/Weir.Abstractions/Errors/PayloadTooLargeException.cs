namespace Weir;

/// <summary>
/// Arguments or a result do not fit into one frame between host and worker, or into one array. Stream them in items, or
/// raise the limit.
/// </summary>
/// <param name="status"><see cref="CallStatus.BadRequest"/> for arguments, <see cref="CallStatus.HandlerFailed"/> for a result.</param>
/// <param name="message">Names the length, the limit and the next step.</param>
public sealed class PayloadTooLargeException(CallStatus status, string message)
    : WeirException(status, WeirCodes.PayloadTooLarge, message);
