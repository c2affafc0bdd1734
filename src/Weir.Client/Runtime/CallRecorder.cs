namespace Weir.Runtime;

/// <summary>What takes the calls of a client that become jobs: a call is recorded and not sent. Any thread; a recording is of one thread.</summary>
internal sealed class CallRecorder
{
    [ThreadStatic]
    private static CallRecorder? _recording;

    [ThreadStatic]
    private static RecordedCall? _recorded;

    // A client puts what is thrown here into the task that it returns.
    [ThreadStatic]
    private static InvalidOperationException? _misuse;

    /// <summary>The call that the code makes on the client of this recorder.</summary>
    /// <typeparam name="TState">The state's type.</typeparam>
    /// <param name="state">Passed to the code.</param>
    /// <param name="code">Makes one call, and does not await it.</param>
    /// <exception cref="InvalidOperationException">It makes none, several, or passes a token.</exception>
    internal RecordedCall Record<TState>(TState state, Action<TState> code)
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

    /// <summary>Takes a call with a result, or without one.</summary>
    /// <param name="request">The request that it would send.</param>
    /// <param name="codec">How its result is read.</param>
    /// <param name="cancellationToken">The token that was passed in the call.</param>
    /// <returns>Never completes: code behind an await in the lambda does not run.</returns>
    internal Task TakeAsync(ClientRequest request, object? codec, CancellationToken cancellationToken)
    {
        Take(request, codec, cancellationToken);
        return new TaskCompletionSource<object?>().Task;
    }

    /// <summary>Takes a call with a stream.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="request">The request that it would send.</param>
    /// <param name="codec">How an item is read.</param>
    /// <param name="cancellationToken">The token that was passed in the call.</param>
    internal IAsyncEnumerable<T> TakeStream<T>(ClientRequest request, ClientValue<T> codec, CancellationToken cancellationToken)
    {
        Take(request, codec, cancellationToken);
        return RecordedStream<T>.Instance;
    }

    private void Take(ClientRequest request, object? codec, CancellationToken cancellationToken)
    {
        var operation = request.Operation.Name;
        if (_recording != this)
        {
            throw new InvalidOperationException($"{operation} is called on what EnqueueAsync gave to its lambda, after the lambda returned or behind an await in it. The lambda makes one call and returns what it returns.");
        }

        if (_recorded is { } first)
        {
            throw _misuse = new InvalidOperationException($"The lambda of EnqueueAsync calls {first.Request.Operation.Name} and {operation}: a job is one call. Call EnqueueAsync once for each.");
        }

        if (cancellationToken.CanBeCanceled)
        {
            throw _misuse = new InvalidOperationException($"The lambda of EnqueueAsync passes a token to {operation}. A job outlives its caller and has a token of its own: pass yours to EnqueueAsync, and cancel the job with CancelAsync.");
        }

        _recorded = new RecordedCall(request, codec);
    }

    private sealed class RecordedStream<T> : IAsyncEnumerable<T>
    {
        internal static RecordedStream<T> Instance { get; } = new();

        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
            throw new InvalidOperationException("The lambda of EnqueueAsync enumerates a stream that was recorded and not run: return it, and read the items of the job with ItemsAsync.");
    }
}
