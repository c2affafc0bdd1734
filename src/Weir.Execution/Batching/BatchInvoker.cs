using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Batching;

/// <summary>Runs the calls of a batch: with the batch's token, and as one group where the executor can start many at once.</summary>
/// <param name="inner">The invoker that the client uses outside a batch.</param>
/// <param name="callerToken">The token of the batch's caller: a call with the same token uses the batch's token instead.</param>
internal sealed class BatchInvoker(CallInvoker inner, CancellationToken callerToken) : CallInvoker
{
    /// <summary>The calls that are made together.</summary>
    public CallGroup Group { get; } = new();

    /// <summary>Cancels the calls of the batch; set before the first call.</summary>
    public CancellationToken Stopping { get; set; }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        var token = cancellationToken.CanBeCanceled && cancellationToken != callerToken ? cancellationToken : Stopping;
        return inner is PipelineInvoker pipeline ? pipeline.RunAsync(call, Group, token) : inner.RunAsync(call, token);
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => inner.StreamAsync(call, cancellationToken);
}
