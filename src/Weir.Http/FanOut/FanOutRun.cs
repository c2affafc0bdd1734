using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Weir.Http.FanOut;

/// <summary>
/// One fan-out: reads requests while there are places, sends as many as the bounds allow, and passes the results to the flow that enumerates.
/// A request has a place from when it is read until its result is taken.
/// </summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
[SuppressMessage("Design", "CA1001", Justification = "StopAsync is its end, and disposes it.")]
internal sealed class FanOutRun<TResult> : IFanOutRun
{
    private readonly TimeProvider _time;
    private readonly Exchange<TResult> _exchange;
    private readonly CancellationTokenSource _stopping;
    private readonly SemaphoreSlim _places;

    // Bounded by the places.
    private readonly Channel<(long Index, TResult Result)> _completed = Channel.CreateUnbounded<(long, TResult)>(new UnboundedChannelOptions { SingleReader = true });

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly RequestLimiter _limiter;
    private readonly SentRequests? _sent;

    // What has not ended: the reading of the input and every request that was read.
    private long _open = 1;

    // What the input threw. Written before _open is decremented for the input.
    private Exception? _failure;

    /// <param name="options">Bounds.</param>
    /// <param name="exchange">Sends a request.</param>
    /// <param name="stopping">Cancels everything; cancelled by <see cref="StopAsync"/>, too.</param>
    public FanOutRun(FanOutOptions options, Exchange<TResult> exchange, CancellationTokenSource stopping)
    {
        _time = options.TimeProvider;
        _exchange = exchange;
        _stopping = stopping;
        _limiter = new RequestLimiter(options);
        _sent = options.SendsEqualOnce ? new SentRequests() : null;

        // Requests that wait for their host must not take the places of those in flight.
        _places = new SemaphoreSlim(options.MaxPerHost is null ? options.MaxConcurrency : 2 * options.MaxConcurrency);
    }

    /// <summary>The results; completes after the last one, with the failure of the input if there was one.</summary>
    public ChannelReader<(long Index, TResult Result)> Completed => _completed.Reader;

    /// <summary>Begins to read the input, on the thread pool: reading may block.</summary>
    public void Start(IAsyncEnumerable<HttpRequestMessage> requests) => _ = Task.Run(() => ReadAsync(requests), CancellationToken.None);

    /// <summary>A result was taken: another request may be read.</summary>
    public void Taken() => _places.Release();

    void IFanOutRun.Send(FanOutCall call) => _ = SendAsync(call);

    void IFanOutRun.Drop() => End();

    /// <summary>Cancels what has not ended, waits for it, and drops results that were not taken.</summary>
    public async ValueTask StopAsync()
    {
        // Those that wait are not sent any more.
        _limiter.Dispose();
        try
        {
            await _stopping.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            // Also if a callback of the token threw.
            await _ended.Task.ConfigureAwait(false);
            while (_completed.Reader.TryRead(out var completed))
            {
                _exchange.Drop(completed.Result);
            }

            _places.Dispose();
        }
    }

    // Throws nothing.
    private async Task ReadAsync(IAsyncEnumerable<HttpRequestMessage> requests)
    {
        try
        {
            var input = requests.GetAsyncEnumerator(_stopping.Token);
            await using (input.ConfigureAwait(false))
            {
                for (var index = 0L; ; index++)
                {
                    await _places.WaitAsync(_stopping.Token).ConfigureAwait(false);
                    if (!await input.MoveNextAsync().ConfigureAwait(false) || !TryAdd(index, input.Current))
                    {
                        break;
                    }
                }
            }
        }
        catch (Exception) when (_stopping.IsCancellationRequested)
        {
            // The enumeration has ended, and reports that.
        }
        catch (Exception failure)
        {
            _failure = failure;
        }

        End();
    }

    private bool TryAdd(long index, HttpRequestMessage request)
    {
        Interlocked.Increment(ref _open);
        if (_sent?.FindOrAdd(index, request, _exchange.BaseAddress) is { } first)
        {
            _completed.Writer.TryWrite((index, _exchange.Duplicate(index, first)));
            End();
            return true;
        }

        if (_limiter.TryAdd(HostKey.Of(_exchange.AddressOf(request)), new FanOutCall(index, request, _time.GetTimestamp(), this)))
        {
            return true;
        }

        // Stopped: the loop of the input ends.
        Interlocked.Decrement(ref _open);
        return false;
    }

    // Throws nothing.
    private async Task SendAsync(FanOutCall call)
    {
        var result = await _exchange.RunAsync(call, _limiter, _time, _stopping.Token).ConfigureAwait(false);

        // The channel is open until this request counts as ended.
        _completed.Writer.TryWrite((call.Index, result));
        _limiter.End(call);
        End();
    }

    private void End()
    {
        if (Interlocked.Decrement(ref _open) == 0)
        {
            _completed.Writer.TryComplete(_failure);
            _ended.TrySetResult();
        }
    }
}
