namespace Weir.AspNetCore.Streaming;

/// <summary>A write found that the client has disconnected, whether the token of its request has fired by now or not.</summary>
internal sealed class ClientDisconnectedException()
    : OperationCanceledException("The client disconnected while the stream was sent.");
