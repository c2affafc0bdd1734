using Weir.Runtime;

namespace Weir.Jobs.Recording;

/// <summary>What the proxy of <c>IJobs&lt;T&gt;</c> calls go through: a call is recorded and not run. Any thread; a recording is of one thread.</summary>
internal sealed class RecordingInvoker : CallInvoker
{
    [ThreadStatic]
    private static RecordingInvoker? _recording;

    [ThreadStatic]
    private static Call? _recorded;

    // A proxy puts what is thrown here into the task that it returns.
    [ThreadStatic]
    private static InvalidOperationException? _misuse;

    /// <summary>The call that the code makes on the proxy of this invoker.</summary>
    /// <typeparam name="TState">The state's type.</typeparam>
    /// <param name="state">Passed to the code.</param>
    /// <param name="code">Makes one call, and does not await it.</param>
    /// <exception cref="InvalidOperationException">It makes none, several, or passes a token.</exception>
    public Call Record<TState>(TState state, Action<TState> code)
    {
        // A lambda that submits another job in between has its own.
        var (outer, before, misused) = (_recording, _recorded, _misuse);
        (_recording, _recorded, _misuse) = (this, null, null);
        try
        {
            code(state);
            return _misuse is { } misuse ? throw misuse : _recorded ?? throw new InvalidOperationException("The lambda made no call on what it was given. It makes exactly one: EnqueueAsync(service => service.Operation(arguments)).");
        }
        finally
        {
            (_recording, _recorded, _misuse) = (outer, before, misused);
        }
    }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        Take(call, cancellationToken);

        // Never completes: code behind an await in the lambda does not run. The call is not used again, because such code may refer to it.
        return call.WhenEnded;
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken)
    {
        Take(call, cancellationToken);
        return RecordedStream<T>.Instance;
    }

    private void Take(Call call, CancellationToken cancellationToken)
    {
        if (_recording != this)
        {
            throw new InvalidOperationException($"{call.Operation} is called on what EnqueueAsync gave to its lambda, after the lambda returned or behind an await in it. The lambda makes one call and returns what it returns.");
        }

        if (_recorded is { } first)
        {
            throw _misuse = new InvalidOperationException($"The lambda of EnqueueAsync calls {first.Operation} and {call.Operation}: a job is one call. Call EnqueueAsync once for each, or EnqueueManyAsync.");
        }

        if (cancellationToken.CanBeCanceled)
        {
            throw _misuse = new InvalidOperationException($"The lambda of EnqueueAsync passes a token to {call.Operation}. A job outlives its caller and has a token of its own: pass yours to EnqueueAsync, and cancel the job with CancelAsync.");
        }

        _recorded = call;
    }

    private sealed class RecordedStream<T> : IAsyncEnumerable<T>
    {
        public static RecordedStream<T> Instance { get; } = new();

        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
            throw new InvalidOperationException("The lambda of EnqueueAsync enumerates a stream that was recorded and not run: return it, and read the items of the job with ItemsAsync.");
    }
}
