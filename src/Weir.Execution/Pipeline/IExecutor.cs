using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>
/// A place where calls run. Every call gets exactly one outcome: the returned task completes, or throws a
/// <see cref="WeirException"/>, the handler's own exception, or <see cref="OperationCanceledException"/> for the token.
/// Used concurrently.
/// </summary>
internal interface IExecutor
{
    /// <summary>Whether this executor takes the instance of a service from the call's services, or makes it from them.</summary>
    bool NeedsServices(Service service);

    /// <summary>Runs a call; afterwards the call holds its result.</summary>
    ValueTask RunAsync(Call call, in ExecutionRequest request);

    /// <summary>Runs a streamed call and passes its source to the pump; completes after the source was disposed.</summary>
    ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request);
}
