using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>
/// A place where calls run. Every call gets exactly one outcome: the returned task completes, or throws a
/// <see cref="WeirException"/>, the handler's own exception, or <see cref="OperationCanceledException"/> for the token.
/// Used concurrently.
/// </summary>
internal interface IExecutor
{
    /// <summary>Counts the calls that were not served; <c>null</c> where calls run at once, on their callers' flow.</summary>
    UnservedCalls? Unserved => null;

    /// <summary>Whether this executor takes the instance of a service from the call's services, or makes it from them.</summary>
    bool NeedsServices(Service service);

    /// <summary>Runs a call; afterwards the call holds its result.</summary>
    /// <param name="call">The call.</param>
    /// <param name="request">With services, and with the token and the timestamp of its deadline.</param>
    ValueTask RunAsync(Call call, in CallRequest request);

    /// <summary>Runs a streamed call and passes its source to the pump; completes after the source was disposed.</summary>
    ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request);
}
