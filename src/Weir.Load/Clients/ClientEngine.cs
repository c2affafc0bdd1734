using System.Net;
using Weir.Load.Connecting;
using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>What the epoll engine does not do: TLS, HTTP/2, other systems than Linux. One task for each request in flight.</summary>
internal sealed class ClientEngine : ILoadEngine
{
    private readonly LoadOptions _options;
    private readonly HttpMessageInvoker _client;

    private readonly LoadResult[] _results;

    public ClientEngine(LoadOptions options, IPEndPoint server)
    {
        _options = options;
        _client = new HttpMessageInvoker(new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = false,
            ActivityHeadersPropagator = null,
            MaxConnectionsPerServer = options.Connections,
            EnableMultipleHttp2Connections = true,

            // A stream that is left is closed: reading it on would keep its connection from the next request.
            MaxResponseDrainSize = 0,
            ResponseDrainTimeout = TimeSpan.Zero,
            SslOptions = SecureConnection.OptionsOf(options),
            ConnectCallback = (_, cancellationToken) => ServerConnection.OpenAsync(server, cancellationToken),
        });

        // Histograms are large: tasks share results, under a lock on each.
        _results = [.. Enumerable.Range(0, Math.Min(options.Connections, Environment.ProcessorCount)).Select(static _ => new LoadResult())];
    }

    public IReadOnlyList<LoadResult> Results => _results;

    public async Task RunAsync(CancellationToken stopping, CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(stopping, cancellationToken);
        using ClientLoad load = _options.Rate is null ? new ClosedLoad(_options) : new OpenLoad(_options);
        load.Begin(ending.Token);
        var tasks = Enumerable.Range(0, _options.Connections)
            .Select(i => Task.Run(() => SendAsync(load, _results[i % _results.Length], ending.Token), CancellationToken.None))
            .ToArray();
        await Task.WhenAll(tasks).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        _results[0].IsStopped = stopping.IsCancellationRequested;
        _results[0].Seconds = load.Seconds(_results[0].IsStopped);
        if (_results[0].IsStopped)
        {
            load.Stop(_results[0]);
        }
        else
        {
            load.End(_results[0]);
        }
    }

    public void Dispose() => _client.Dispose();

    private async Task SendAsync(ClientLoad load, LoadResult result, CancellationToken cancellationToken)
    {
        using var exchange = new ClientExchange(_options, _client, result);
        while (await load.NextAsync(result, cancellationToken).ConfigureAwait(false) is { } start)
        {
            if (!await exchange.RunAsync(start, now => load.Counts(start, now), load.EndOfDuration, cancellationToken).ConfigureAwait(false) && load.Counts(start, Stamp.Now))
            {
                lock (result)
                {
                    result.Unfinished++;
                }
            }
        }
    }
}
