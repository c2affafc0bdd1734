using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>
/// A place where calls run. Every call gets exactly one ending: the returned task completes, or throws a
/// <see cref="WeirException"/>, the handler's own exception, or <see cref="OperationCanceledException"/> for the token.
/// Used concurrently.
/// </summary>
internal interface IExecutor
{
    /// <summary>Whether instances are made here, from the call's services, where they take any.</summary>
    bool UsesServices { get; }

    /// <summary>Runs a call; afterwards its result is in it.</summary>
    ValueTask RunAsync(Call call, in ExecutionRequest request);

    /// <summary>Runs a streamed call and gives its source to the pump; ends after the source was disposed.</summary>
    ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request);
}
