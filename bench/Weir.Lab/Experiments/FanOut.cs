using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 002: fifty requests at once to an endpoint that answers after 115 ms.</summary>
internal sealed class FanOut : Experiment
{
    private const int Requests = 50;
    private const int Wait = 115; // the document's 5.77 s, divided by its 50 requests
    private const string Path = "/wait?ms=115";
    private const string QuickPath = "/now";
    private const int WarmUpIterations = 20;
    private const int FewWarmUpIterations = 4;
    private const string Sequential = "one after the other";
    private const string Weir = "weir";
    private const string Floor = "floor";
    private const string Tasks = "HttpClient tasks";
    private const string Allocated = "allocated";

    private static readonly string[] Peers = ["async-http", "undici", "aiohttp", Tasks];

    private static readonly Transport[] Transports =
    [
        new("plain", false, false), new("plain, keep-alive", false, true), new("TLS", true, false), new("TLS, keep-alive", true, true),
    ];

    public override string Name => "fanout";

    public override string Question => "50 requests to an endpoint that answers after 115 ms: how long do they take together, and how much memory do they allocate?";

    public override string? Document => "002";

    public override string? QuickLeavesOut => "what nothing is promised about: 50 at once without keep-alive, and some ways over TLS";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(40, 34, 300));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var server = new SharedServer(ProgramLaunch.OfLab("slow-server", "tls=1"));

        // 5.8 s an iteration, in which they hardly compute.
        yield return new Case(Sequential, [.. Transports.SelectMany(transport => OneAfterTheOther(server, transport))])
        {
            Rounds = 1,
            AtOnce = true,
            WarmUp = false,
            Shared = server,
            Given = [.. FanOutFigures.Of(Sequential)],
        };

        foreach (var transport in Transports.Where(transport => scale != Scale.Quick || transport.KeepsAlive))
        {
            var @case = new Case(transport.Name, [.. AtOnce(server, transport, scale)])
            {
                Rounds = scale.Pick(1, 1, 5),
                Shared = server,
                Given = [.. FanOutFigures.Of(transport.Name)],
            };
            var parts = transport.KeepsAlive || scale == Scale.Full ? @case.DecidingAtLength(scale, [Weir, Floor, .. Peers]) : [@case];
            foreach (var part in parts)
                yield return part;
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var name in Transports.Where(static transport => transport.KeepsAlive).Select(static transport => transport.Name))
        {
            var time = measured[Weir, name, "time"];
            yield return Promise.Ratio($"{name}: 50 requests at once take at most 1.05 × 115 ms and one bare connect", time, measured[Floor, name, "time"], Relation.AtMost, 1.05);
            yield return Promise.Ratio($"{name}: 50 requests at once take at most 1.05 × the fastest peer", time, Fastest(measured, name), Relation.AtMost, 1.05);
            yield return Promise.Ratio(
                $"{name}: 50 requests at once allocate at most 1.2 × the bytes of a task for each", measured[Weir, name, Allocated], measured[Tasks, name, Allocated], Relation.AtMost, 1.2);
        }
    }

    // Which one it is differs between machines, and so does which ones are installed.
    private static Series Fastest(Measured measured, string @case) =>
        Peers.Select(peer => measured[peer, @case, "time"]).Where(static time => time.IsMeasured).MinBy(static time => time.Summary!.Value.Median) ?? Series.None;

    private static IEnumerable<Contender> OneAfterTheOther(SharedServer server, Transport transport)
    {
        foreach (var (name, (needs, launch)) in new[]
        {
            ("Net::HTTP", FanOutPeers.Ruby("net-http")),
            ("Net::HTTP in fibers", FanOutPeers.Ruby("net-http-fibers")),
            ("HttpClient", FanOutPeers.Lab("sequential")),
        })
        {
            yield return Client($"{name}: {transport.Name}", needs, launch, server, transport, iterations: 1, WarmUpIterations, isSequential: true);
        }
    }

    private static IEnumerable<Contender> AtOnce(SharedServer server, Transport transport, Scale scale)
    {
        foreach (var (name, (needs, launch)) in new[]
        {
            ("fibers, small reads", FanOutPeers.Ruby("fibers-small")),
            ("fibers, large reads", FanOutPeers.Ruby("fibers-large")),
            ("Net::HTTP threads", FanOutPeers.Ruby("net-http-threads")),
            ("Net::HTTP on a scheduler", FanOutPeers.RubyAsync("net-http-scheduler")),
            ("async-http", FanOutPeers.RubyAsync("async-http")),
            ("HttpClient threads", FanOutPeers.Lab("threads")),
            (Tasks, FanOutPeers.Lab("tasks")),
            ("undici", FanOutPeers.Undici),
            ("aiohttp", FanOutPeers.AioHttp),
            (Weir, FanOutPeers.Lab("weir")),
        })
        {
            // Nothing is promised without keep-alive.
            var isDecisive = scale == Scale.Full || (transport.KeepsAlive && (name == Weir || Peers.Contains(name)));
            if (scale == Scale.Quick && transport.Tls && !isDecisive)
                continue;

            yield return Client(name, needs, launch, server, transport, scale.Pick(1, 1, 10), isDecisive ? WarmUpIterations : FewWarmUpIterations);
        }

        yield return ConnectFloor.Of(() => server.AddressAsync(Path, transport.Tls), TimeSpan.FromMilliseconds(Wait));
    }

    private static HostedContender Client(string name, Availability needs, ProgramLaunch launch, SharedServer server, Transport transport, int iterations, int warmUps, bool isSequential = false)
    {
        return new HostedContender(name, launch)
        {
            Needs = needs,
            Shared = server.Clients,
            Ask = async (process, cancellation) => (await process.AskAsync(await RequestAsync("answer", 2), cancellation))["answer"],
            Drive = async (process, cancellation) => await process.RunAsync(await DriveAsync(), cancellation),
            WarmUp = async (process, cancellation) =>
            {
                // Quick answers, so that code is compiled for good before memory is counted; then the real ones, for which all connections are opened.
                await process.RunAsync(await RequestAsync("run", Requests, warmUps, QuickPath), cancellation);
                await process.RunAsync(await RequestAsync("run", Requests, 1), cancellation);
            },
        };

        // Ruby counts bytes in an iteration of its own, which would take another 5.8 s. One request after the other allocates the same whatever it waits for.
        async Task<ControlLine> DriveAsync()
        {
            var request = await RequestAsync("run", Requests, iterations);
            return isSequential ? request.With("counted", (await server.AddressAsync(QuickPath, transport.Tls)).AbsoluteUri) : request;
        }

        async Task<ControlLine> RequestAsync(string verb, int count, int times = 1, string path = Path) => new ControlLine(verb)
            .With("url", (await server.AddressAsync(path, transport.Tls)).AbsoluteUri)
            .With("count", count)
            .With("keepalive", transport.KeepsAlive ? 1 : 0)
            .With("iterations", times);
    }

    private sealed record Transport(string Name, bool Tls, bool KeepsAlive);
}
