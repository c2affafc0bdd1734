namespace Weir.AspNetCore.RequestStreams;

/// <summary>The connection was lost, or the request aborted, while a streamed request arrived; the caller's token may not have fired yet.</summary>
internal sealed class SenderDisconnectedException(Exception? cause, CancellationToken leaving)
    : OperationCanceledException("The caller disconnected while it sent the items of its request.", cause, leaving);
