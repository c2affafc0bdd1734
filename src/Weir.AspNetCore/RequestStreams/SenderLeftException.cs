namespace Weir.AspNetCore.RequestStreams;

/// <summary>The connection was lost, or the request was aborted, while a streamed request arrived: its caller has left, whether its token has fired by now or not.</summary>
internal sealed class SenderLeftException(Exception? cause, CancellationToken leaving)
    : OperationCanceledException("The caller left while it sent the items of its request.", cause, leaving);
