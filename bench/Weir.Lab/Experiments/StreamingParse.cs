using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 000: a stream pays only when the client parses while it receives.</summary>
internal sealed class StreamingParse : Experiment
{
    private const string Small = "small objects";
    private const string Slow = "an item every 20 ms";
    private const string Generated = "weir";
    private const string Framework = "GetFromJsonAsAsyncEnumerable";

    private static readonly string NodeScript = Path.Combine(Peers.Scripts, "node", "parse.mjs");

    private static readonly (string Name, string Way)[] Ways =
    [
        (Generated, "weir"), (Framework, "array"), ("DeserializeAsyncEnumerable of lines", "lines"), ("read, then parse", "whole"),
    ];

    public override string Name => "streaming-parse";

    public override string Question => "A client parses a stream while it receives it: how old is an item then, and how many small objects a second?";

    public override string? Document => "000";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 14, 90));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var server = new SharedServer(ProgramLaunch.OfLab("weir"));
        var (count, slow) = (scale.Pick(1000, 300_000, 1_000_000), scale.Pick(5, 50, 200));
        var objects = new Case(Small, [.. Contenders("all", count, string.Join(' ', Enumerable.Range(0, 100).Select(Sample.Make)))])
        {
            Rounds = scale.Pick(1, 3, 9),
            Shared = server,
        };
        foreach (var part in scale == Scale.Tiny ? [objects] : objects.Deciding(scale, Generated, Framework))
            yield return part;

        // They wait nearly all the time.
        yield return new Case(Slow, [.. Contenders("sent", slow, "0 1 2")]) { Rounds = 1, AtOnce = true, Shared = server };

        IEnumerable<Contender> Contenders(string what, int items, string expected) =>
        [
            .. Ways.Select(way => Contender(way.Name, Availability.Present, ProgramLaunch.OfNetPeers("caller", $"way={way.Way}"), what, items, expected)),
            Contender("Node", Peers.Node, new ProgramLaunch("node", [NodeScript]), what, items, expected),
        ];

        HostedContender Contender(string name, Availability needs, ProgramLaunch launch, string what, int items, string expected) => new(name, launch)
        {
            Needs = needs,
            Shared = server.Clients,
            Expected = expected,
            Ask = async (process, cancellation) => (await process.AskAsync(await RequestAsync("answer", what, items), cancellation))["answer"],
            Drive = async (process, cancellation) => await process.RunAsync(await RequestAsync("run", what, items), cancellation),
        };

        async Task<ControlLine> RequestAsync(string verb, string what, int items) => new ControlLine(verb)
            .With("what", what)
            .With("url", (await server.AddressAsync("/", tls: false)).AbsoluteUri)
            .With("count", items)
            .With("delay", 20);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency("an item every 20 ms is parsed 2 ms after it was sent, p50", measured[Generated, Slow, "age p50"], 2);
        yield return Promise.Ratio(
            "small objects: at least 1.3 × the framework's reader", measured[Generated, Small, "objects/s"], measured[Framework, Small, "objects/s"], Relation.AtLeast, 1.3);
    }
}
