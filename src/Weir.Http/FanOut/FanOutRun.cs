using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Weir.Http.FanOut;

/// <summary>
/// One fan-out: reads requests while there are places, sends as many as the bounds allow, and passes the results to the flow that enumerates.
/// A request has a place from when it is read until its result is taken.
/// </summary>
/// <typeparam name="TResult">The type of the results.</typeparam>
[SuppressMessage("Design", "CA1001", Justification = "StopAsync is its end, and disposes it.")]
internal sealed class FanOutRun<TResult>
{
    private readonly FanOutOptions _options;
    private readonly Exchange<TResult> _exchange;
    private readonly CancellationTokenSource _stopping;
    private readonly SemaphoreSlim _places;

    // Bounded by the places.
    private readonly Channel<(long Index, TResult Result)> _completed = Channel.CreateUnbounded<(long, TResult)>(new UnboundedChannelOptions { SingleReader = true });

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly object _gate = new();

    // Under _gate. Hosts with requests; those whose next request may be sent, in turn; requests in flight; whether nothing more is sent; what has not ended: the
    // reading of the input and every request that was read; what the input threw.
    private readonly Dictionary<string, HostQueue> _hosts = [];
    private readonly Queue<HostQueue> _listed = new();
    private readonly HostQueue _anyHost = new(key: null);
    private int _inFlight;
    private bool _isStopped;
    private long _open = 1;
    private Exception? _failure;

    /// <param name="options">Bounds.</param>
    /// <param name="exchange">Sends a request.</param>
    /// <param name="stopping">Cancels everything; cancelled by <see cref="StopAsync"/>, too.</param>
    public FanOutRun(FanOutOptions options, Exchange<TResult> exchange, CancellationTokenSource stopping)
    {
        _options = options;
        _exchange = exchange;
        _stopping = stopping;

        // Requests that wait for their host must not take the places of those in flight.
        _places = new SemaphoreSlim(options.MaxPerHost is null ? options.MaxConcurrency : 2 * options.MaxConcurrency);
    }

    /// <summary>The results; completes after the last one, with the failure of the input if there was one.</summary>
    public ChannelReader<(long Index, TResult Result)> Completed => _completed.Reader;

    /// <summary>Begins to read the input, on the thread pool: reading may block.</summary>
    public void Start(IAsyncEnumerable<HttpRequestMessage> requests) => _ = Task.Run(() => ReadAsync(requests), CancellationToken.None);

    /// <summary>A result was taken: another request may be read.</summary>
    public void Taken() => _places.Release();

    /// <summary>Cancels what has not ended, waits for it, and drops results that were not taken.</summary>
    public async ValueTask StopAsync()
    {
        lock (_gate)
        {
            // Those that wait are not sent any more.
            _isStopped = true;
            foreach (var host in _hosts.Values.Append(_anyHost))
            {
                _open -= host.Waiting.Count;
                host.Waiting.Clear();
            }

            _listed.Clear();
        }

        try
        {
            await _stopping.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            // Also if a callback of the token threw.
            EndIfDone();
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
                    if (!await input.MoveNextAsync().ConfigureAwait(false) || !TryAdd(new FanOutCall(index, input.Current, _options.TimeProvider.GetTimestamp())))
                    {
                        break;
                    }

                    SendNext();
                }
            }
        }
        catch (Exception) when (_stopping.IsCancellationRequested)
        {
            // The enumeration has ended, and reports that.
        }
        catch (Exception failure)
        {
            lock (_gate)
            {
                _failure = failure;
            }
        }

        End();
    }

    private bool TryAdd(FanOutCall call)
    {
        var key = _options.MaxPerHost is null ? null : _exchange.HostOf(call.Request);
        lock (_gate)
        {
            if (_isStopped)
            {
                return false;
            }

            var host = _anyHost;
            if (key is not null && !_hosts.TryGetValue(key, out host))
            {
                _hosts.Add(key, host = new HostQueue(key));
            }

            _open++;
            host.Waiting.Enqueue(call);
            List_NeedsGate(host);
            return true;
        }
    }

    private void SendNext()
    {
        while (true)
        {
            FanOutCall call;
            HostQueue? host;
            lock (_gate)
            {
                if (_isStopped || _inFlight == _options.MaxConcurrency || !_listed.TryDequeue(out host))
                {
                    return;
                }

                host.IsListed = false;
                call = host.Waiting.Dequeue();
                host.InFlight++;
                _inFlight++;
                List_NeedsGate(host);
            }

            _ = SendAsync(call, host);
        }
    }

    // Throws nothing.
    private async Task SendAsync(FanOutCall call, HostQueue host)
    {
        var result = await _exchange.RunAsync(call, _options.TimeProvider, _stopping.Token).ConfigureAwait(false);
        lock (_gate)
        {
            _inFlight--;
            host.InFlight--;
            if (host is { Key: { } key, InFlight: 0, Waiting.Count: 0 })
            {
                _hosts.Remove(key);
            }
            else
            {
                List_NeedsGate(host);
            }
        }

        // The channel is open until this request counts as ended.
        _completed.Writer.TryWrite((call.Index, result));
        SendNext();
        End();
    }

    private void List_NeedsGate(HostQueue host)
    {
        if (!host.IsListed && host.Waiting.Count > 0 && host.InFlight < (_options.MaxPerHost ?? int.MaxValue))
        {
            host.IsListed = true;
            _listed.Enqueue(host);
        }
    }

    private void End()
    {
        lock (_gate)
        {
            _open--;
        }

        EndIfDone();
    }

    private void EndIfDone()
    {
        lock (_gate)
        {
            if (_open > 0)
            {
                return;
            }
        }

        _completed.Writer.TryComplete(_failure);
        _ended.TrySetResult();
    }
}
