using System.Diagnostics;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.FanOut;

/// <summary>Document 002's client on .NET: sends many requests in one of several ways, and counts its memory.</summary>
internal sealed class FanOutClient : ContenderProgram
{
    private readonly HttpClient _http = TestClient.Create();
    private FanOutWay? _way;

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        _way = FanOutWays.Named(settings["way"]);
        return base.StartAsync(settings);
    }

    public override async Task RunAsync(ControlLine request, Round round)
    {
        var (url, count, keepsAlive) = Work(request);
        var iterations = request.Int("iterations");
        IReadOnlyList<string> bodies = [];
        var held = GC.GetTotalMemory(forceFullCollection: true);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var began = Stopwatch.GetTimestamp();
        for (var i = 0; i < iterations; i++)
            bodies = await _way!(_http, url, count, keepsAlive);
        var seconds = Stopwatch.GetElapsedTime(began).TotalSeconds / iterations;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        var retained = GC.GetTotalMemory(forceFullCollection: true) - held;
        if (bodies.Count != count)
            throw new InvalidDataException($"{bodies.Count} of {count} requests were answered.");

        round.Add("time", seconds, "s").AddRate("iterations/s", 1, seconds)
            .Add("allocated", (double)allocated / iterations, "B")
            .Add("retained", Math.Max(0, retained), "B");
        GC.KeepAlive(bodies);
    }

    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        if (request.Verb != "answer")
            return await base.AskAsync(request);

        var (url, count, keepsAlive) = Work(request);
        return new ControlLine("ok").With("answer", string.Join(',', await _way!(_http, url, count, keepsAlive)));
    }

    public override ValueTask DisposeAsync()
    {
        _http.Dispose();
        return base.DisposeAsync();
    }

    private static (Uri Url, int Count, bool KeepsAlive) Work(ControlLine request) =>
        (new Uri(request["url"]), request.Int("count"), request.Is("keepalive", "1"));
}
