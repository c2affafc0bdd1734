using Weir.Execution.Processes;

namespace Weir.Execution;

/// <summary>Runs the calls of a batch: those that are made while it collects are held where their executor can take many at once.</summary>
/// <param name="inner">What the client stands on otherwise.</param>
/// <param name="callerToken">The token of the batch's caller: a call that was given the same listens to the batch.</param>
internal sealed class HoldingInvoker(CallInvoker inner, CancellationToken callerToken) : CallInvoker
{
    private readonly CallBatch _held = new();

    // The enumerating flow only.
    private Call? _last;

    /// <summary>Ends the calls of the batch; set before the first.</summary>
    public CancellationToken Stopping { get; set; }

    /// <summary>From now on calls of this thread are held.</summary>
    public void Collect() => _held.Collect();

    /// <summary>Lets go of what was held since <see cref="Collect"/>.</summary>
    public void Release() => _held.Release();

    /// <summary>The call that was made last while collecting; <c>null</c> where there was none.</summary>
    public Call? TakeLast()
    {
        var last = _last;
        _last = null;
        return last;
    }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        if (_held.IsCollecting)
        {
            _last = call;
        }

        var token = cancellationToken.CanBeCanceled && cancellationToken != callerToken ? cancellationToken : Stopping;
        return inner is PipelineInvoker pipeline ? pipeline.RunAsync(call, _held, token) : inner.RunAsync(call, token);
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => inner.StreamAsync(call, cancellationToken);
}
