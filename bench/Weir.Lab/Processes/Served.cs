using System.Net;
using Weir.Load.Measuring;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Processes;

/// <summary>Contenders that serve HTTP and are driven from outside.</summary>
internal static class Served
{
    private static readonly TimeSpan OpeningPatience = TimeSpan.FromSeconds(10);

    // One client for what is asked before anything is timed.
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(60) };

    /// <summary>The body that a path gives.</summary>
    public static async Task<string> FetchAsync(ContenderProcess process, string path, CancellationToken cancellation) =>
        await Client.GetStringAsync(Address(process, path), cancellation);

    public static Uri Address(ContenderProcess process, string path) => new($"http://127.0.0.1:{process.Ready["port"]}{path}");

    public static IPEndPoint EndPoint(ContenderProcess process) => new(IPAddress.Loopback, process.Ready.Int("port"));

    /// <summary>Runs a model against it on its own connections.</summary>
    public static async Task<LoadResult> LoadAsync(
        ContenderProcess process, int connections, Func<(ILoadModel Model, LoadResult Result)> model, CancellationToken cancellation)
    {
        using var reactor = new Reactor(EndPoint(process), connections);
        var (running, result) = model();
        await reactor.RunAsync(running, cancellation);
        return result;
    }

    /// <summary>As many in flight as connections times depth, for a time.</summary>
    public static Task<LoadResult> ClosedAsync(
        ContenderProcess process, int connections, int depth, TimeSpan duration, RequestSet requests, CancellationToken cancellation) =>
        LoadAsync(
            process,
            connections,
            () =>
            {
                var model = new ClosedModel(requests, depth, duration);
                return (model, model.Result);
            },
            cancellation);

    /// <summary>
    /// The same over connections that have answered as many before: what opening them costs a server is no request's.
    /// <paramref name="opened"/> is called when they have, before the time begins.
    /// </summary>
    public static async Task<LoadResult> OpenThenClosedAsync(
        ContenderProcess process, int connections, int depth, TimeSpan duration, RequestSet requests, Func<Task> opened, CancellationToken cancellation)
    {
        using var reactor = new Reactor(EndPoint(process), connections);
        var opening = new ClosedModel(requests, depth, OpeningPatience, most: connections * depth);
        await reactor.RunAsync(opening, cancellation);
        if (opening.Result.WithoutErrors().Completed < connections * depth)
            throw new TimeoutException($"Only {opening.Result.Completed} of the first {connections * depth} requests were answered within {OpeningPatience.TotalSeconds} s.");

        await opened();
        var model = new ClosedModel(requests, depth, duration);
        await reactor.RunAsync(model, cancellation);
        return model.Result;
    }
}
