namespace Weir.Http.FanOut;

/// <summary>One fan-out for each enumeration.</summary>
/// <typeparam name="TValue">What is read from a response.</typeparam>
/// <typeparam name="TResult">The type of the results.</typeparam>
internal sealed class FanOutEnumerable<TValue, TResult>(
    IAsyncEnumerable<HttpRequestMessage> requests, FanOutOptions options, Exchange<TValue, TResult> exchange, CancellationToken callerToken)
    : IAsyncEnumerable<TResult>
{
    public async IAsyncEnumerator<TResult> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(callerToken, cancellationToken);

        // Results that wait for those of earlier requests. As many at most as may wait to be taken.
        var early = options.Order == FanOutOrder.Input ? new Dictionary<long, TResult>() : null;
        var next = 0L;
        var run = new FanOutRun<TValue, TResult>(requests, options, exchange, stopping);
        run.Start();
        try
        {
            while (await run.MayTakeAsync().ConfigureAwait(false))
            {
                stopping.Token.ThrowIfCancellationRequested();
                while (run.TryTake(out var completed))
                {
                    // Not a result: its request may have failed only because everything is cancelled.
                    if (stopping.IsCancellationRequested)
                    {
                        exchange.Drop(completed.Result);
                        stopping.Token.ThrowIfCancellationRequested();
                    }

                    if (early is null)
                    {
                        yield return completed.Result;
                        run.Taken();
                    }
                    else
                    {
                        early.Add(completed.Index, completed.Result);
                        while (early.Remove(next, out var result))
                        {
                            next++;
                            yield return result;
                            run.Taken();
                        }
                    }
                }
            }
        }
        finally
        {
            await run.StopAsync().ConfigureAwait(false);
            foreach (var result in early?.Values ?? Enumerable.Empty<TResult>())
            {
                exchange.Drop(result);
            }
        }
    }
}
