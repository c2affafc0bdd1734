using System.Net;
using Weir.Load.Measuring;
using Weir.Load.Requests;

namespace Weir.Load.Raw;

/// <summary>HTTP/1.1 without TLS, on Linux: connections on epoll threads.</summary>
internal sealed class RawEngine : ILoadEngine
{
    private readonly Reactor[] _reactors;
    private readonly ILoadModel[] _models;

    /// <summary>Opens the connections.</summary>
    public RawEngine(LoadOptions options, IPEndPoint server, CancellationToken cancellationToken)
    {
        var settings = new ReactorOptions
        {
            IsHead = options.Method == HttpMethod.Head,
            IsStream = options.IsStream,
            AbortAfter = options.AbortAfter ?? long.MaxValue,
            Timeout = options.Timeout,
        };
        var threads = Threads(options);
        _reactors = new Reactor[threads];
        try
        {
            for (var i = 0; i < threads; i++)
            {
                _reactors[i] = new Reactor(server, Share(options.Connections, threads, i), settings, cancellationToken);
            }
        }
        catch
        {
            Dispose();
            throw;
        }

        var request = RequestSet.BytesOf(options);
        _models = [.. Enumerable.Range(0, threads).Select(i => CreateModel(options, new RequestSet([request]), threads, i))];
        Results = [.. _models.Select(static model => model.Result)];
    }

    public IReadOnlyList<LoadResult> Results { get; }

    public Task RunAsync(CancellationToken stopping, CancellationToken cancellationToken) =>
        Task.WhenAll(_reactors.Zip(_models, (reactor, model) => reactor.RunAsync(model, cancellationToken, stopping)));

    public void Dispose()
    {
        foreach (var reactor in _reactors)
        {
            reactor?.Dispose();
        }
    }

    // One thread sends what is due in order, so that a request never waits for a busy connection of one thread while another has idle ones. In the closed
    // model more threads help where the server leaves them cores.
    private static int Threads(LoadOptions options)
    {
        var threads = options.Rate is null ? Math.Max(1, Environment.ProcessorCount / 2) : 1;
        return (int)Math.Min(Math.Min(threads, options.Connections), options.Requests ?? long.MaxValue);
    }

    private static ILoadModel CreateModel(LoadOptions options, RequestSet requests, int threads, int index)
    {
        var most = options.Requests is { } all ? all / threads + (index < all % threads ? 1 : 0) : long.MaxValue;
        var duration = options.Requests is null ? options.Duration ?? LoadOptions.DefaultDuration : TimeSpan.MaxValue;
        return options.Rate is null
            ? new ClosedModel(requests, depth: 1, duration, most) { Skip = options.WarmUp, WaitsForLast = true }
            : new OpenModel(requests, Arrivals.Of(options), duration == TimeSpan.MaxValue ? duration : options.WarmUp + duration, most, options.Timeout) { Skip = options.WarmUp };
    }

    private static int Share(int all, int threads, int index) => (all / threads) + (index < all % threads ? 1 : 0);
}
