namespace Weir.Http.FanOut;

/// <summary>One fan-out for each enumeration.</summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
internal sealed class FanOutEnumerable<TResult>(IAsyncEnumerable<HttpRequestMessage> requests, FanOutOptions options, Exchange<TResult> exchange, CancellationToken callerToken)
    : IAsyncEnumerable<TResult>
{
    public async IAsyncEnumerator<TResult> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(callerToken, cancellationToken);

        // Results that wait for those of earlier requests. At most the places of the fan-out.
        var early = options.Order == FanOutOrder.Input ? new Dictionary<long, TResult>() : null;
        var next = 0L;
        var run = new FanOutRun<TResult>(options, exchange, stopping);
        run.Start(requests);
        try
        {
            while (await run.Completed.WaitToReadAsync(stopping.Token).ConfigureAwait(false))
            {
                while (run.Completed.TryRead(out var completed))
                {
                    // Not a result: its request may have failed only because everything is cancelled.
                    if (stopping.IsCancellationRequested)
                    {
                        exchange.Drop(completed.Result);
                        stopping.Token.ThrowIfCancellationRequested();
                    }

                    if (early is null)
                    {
                        run.Taken();
                        yield return completed.Result;
                    }
                    else
                    {
                        early.Add(completed.Index, completed.Result);
                        while (early.Remove(next, out var result))
                        {
                            next++;
                            run.Taken();
                            yield return result;
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
