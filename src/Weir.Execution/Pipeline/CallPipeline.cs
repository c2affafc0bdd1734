namespace Weir.Runtime;

/// <summary>
/// The way of every call: deadline, context, filters, then the executor of its placement. HTTP, typed proxies and queue
/// deliveries come through here. May be used concurrently.
/// </summary>
public abstract class CallPipeline
{
    /// <summary>Runs a call to its ending; afterwards its result is in it.</summary>
    /// <param name="call">Its arguments are set. Not a streamed one.</param>
    /// <param name="request">How the door wants it.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
    /// <exception cref="OperationCanceledException">The request's token fired.</exception>
    public abstract ValueTask RunAsync(Call call, in CallRequest request);

    /// <summary>Runs a streamed call; ends after the pump took the last item and the producer was disposed.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="pump">Takes the items.</param>
    /// <param name="request">How the door wants it.</param>
    /// <exception cref="WeirException">The call ended otherwise than well.</exception>
    /// <exception cref="OperationCanceledException">The request's token fired.</exception>
    public abstract ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request);
}
