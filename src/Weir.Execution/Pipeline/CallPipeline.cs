using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The pipeline that every call passes: deadline, context, filters, then the executor of its placement. HTTP, typed proxies and queue
/// deliveries use it. May be used concurrently.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class CallPipeline
{
    /// <summary>Runs a call to its completion; afterwards the call holds its result.</summary>
    /// <param name="call">A call whose arguments are set. Not a streamed one.</param>
    /// <param name="request">How the entry point wants the call to be run.</param>
    /// <exception cref="WeirException">The call did not succeed.</exception>
    /// <exception cref="OperationCanceledException">The request's token was cancelled.</exception>
    public abstract ValueTask RunAsync(Call call, in CallRequest request);

    /// <summary>Runs a streamed call; completes after the pump took the last item and the producer was disposed.</summary>
    /// <param name="call">A call whose arguments are set.</param>
    /// <param name="pump">Takes the items.</param>
    /// <param name="request">How the entry point wants the call to be run.</param>
    /// <exception cref="WeirException">The call did not succeed.</exception>
    /// <exception cref="OperationCanceledException">The request's token was cancelled.</exception>
    public abstract ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request);

    /// <summary>A request of an operation has arrived: what is recorded of it, to be passed on as <see cref="CallRequest.Recording"/>, and ended when the response is written.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="used">What an earlier request was recorded with, which has ended; <c>null</c> for none.</param>
    /// <returns><c>null</c> where nothing is recorded, or more requests run than are listed: then the call is recorded without its request.</returns>
    public virtual CallRecording? Arrive(Operation operation, CallRecording? used) => null;

    /// <summary>Gives back what <see cref="Arrive"/> has returned, after its last use.</summary>
    public virtual void Release(CallRecording used)
    {
    }
}
