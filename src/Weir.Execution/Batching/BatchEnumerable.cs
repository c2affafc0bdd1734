using System.Threading.Channels;

namespace Weir.Execution.Batching;

/// <summary>
/// Makes the calls of one batch and returns their results in the order in which the calls complete. Everything runs on the enumerating
/// flow except the completions, which come from any thread through a channel.
/// </summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <param name="count">How many calls.</param>
/// <param name="call">Makes the call of one item.</param>
/// <param name="invoker">The invoker of the calls; <c>null</c> where the client is not a proxy.</param>
/// <param name="callerToken">Cancels the batch.</param>
internal sealed class BatchEnumerable<T>(int count, Func<int, ValueTask<T>> call, BatchInvoker? invoker, CancellationToken callerToken)
    : IAsyncEnumerable<BatchResult<T>>
{
    // Calls in progress plus results not taken: enough to keep every worker busy while the flow does not run, few enough to stop early.
    private const int Window = 512;

    // Bounded by the window: a call is in it once.
    private readonly Channel<BatchCall<T>> _completed = Channel.CreateUnbounded<BatchCall<T>>(new UnboundedChannelOptions { SingleReader = true });

    // Calls whose results were taken, to be reused. At most the window.
    private readonly Stack<BatchCall<T>> _unused = new();

    private bool _isEnumerated;
    private int _made;
    private int _taken;

    private int UnderWay => _made - _taken;

    public IAsyncEnumerator<BatchResult<T>> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (_isEnumerated)
        {
            throw new InvalidOperationException("A batch can be enumerated only once; create another one for the same items.");
        }

        _isEnumerated = true;
        return EnumerateAsync(cancellationToken);
    }

    private async IAsyncEnumerator<BatchResult<T>> EnumerateAsync(CancellationToken cancellationToken)
    {
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(callerToken, cancellationToken);
        if (invoker is not null)
        {
            invoker.Stopping = stopping.Token;
        }

        try
        {
            while (true)
            {
                stopping.Token.ThrowIfCancellationRequested();
                if (_made < count && UnderWay <= Window / 2)
                {
                    MakeCalls();
                }

                if (UnderWay == 0)
                {
                    yield break;
                }

                yield return await TakeAsync();
            }
        }
        finally
        {
            try
            {
                if (UnderWay > 0)
                {
                    await stopping.CancelAsync();
                }
            }
            finally
            {
                // Also if a callback of the token threw.
                while (UnderWay > 0)
                {
                    await TakeAsync();
                }
            }
        }
    }

    private void MakeCalls()
    {
        invoker?.Group.Collect();
        try
        {
            // A call that completes while it is made has run on this flow: its result is returned before the next call runs.
            var hasRun = false;
            while (!hasRun && _made < count && UnderWay < Window)
            {
                var next = _unused.TryPop(out var used) ? used : new BatchCall<T>(_completed.Writer);
                hasRun = next.Start(_made++, call);
            }
        }
        finally
        {
            invoker?.Group.Start();
        }
    }

    private async ValueTask<BatchResult<T>> TakeAsync()
    {
        // Without a token: cancelled calls complete too, and all calls must complete before the batch ends.
        var completed = await _completed.Reader.ReadAsync(CancellationToken.None);
        var result = completed.TakeResult();
        _unused.Push(completed);
        _taken++;
        return result;
    }
}
