using Weir.Execution.Processes;

namespace Weir.Execution;

/// <summary>Runs the calls of a batch: those that are made while it collects are held where their executor can take many at once.</summary>
/// <param name="inner">What the client stands on otherwise.</param>
/// <param name="callerToken">The token of the batch's caller: a call that was given the same listens to the batch.</param>
internal sealed class HoldingInvoker(CallInvoker inner, CancellationToken callerToken) : CallInvoker
{
    private readonly CallBatch _held = new();

    // The enumerating flow only. The id of the thread that makes calls now; a call that comes from elsewhere, or later, is none of the batch.
    private volatile int _collects;
    private Call? _last;

    /// <summary>Ends the calls of the batch; set before the first.</summary>
    public CancellationToken Stopping { get; set; }

    public void Collect() => _collects = Environment.CurrentManagedThreadId;

    /// <summary>Lets go of what was held since <see cref="Collect"/>.</summary>
    public void Release()
    {
        _collects = 0;
        _held.Release();
    }

    public Call? TakeLast()
    {
        var last = _last;
        _last = null;
        return last;
    }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        var token = cancellationToken.CanBeCanceled && cancellationToken != callerToken ? cancellationToken : Stopping;
        if (_collects != Environment.CurrentManagedThreadId || inner is not PipelineInvoker pipeline)
        {
            return inner.RunAsync(call, token);
        }

        _last = call;
        return pipeline.RunAsync(call, _held, token);
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => inner.StreamAsync(call, cancellationToken);
}
