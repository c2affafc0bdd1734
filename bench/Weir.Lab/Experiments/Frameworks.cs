using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Processes;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>Document 004: what a framework costs per request.</summary>
internal sealed class Frameworks : Experiment
{
    private const int Depth = 16;
    private const int Connections = 20;
    private const string Pipelined = "pipelined × 16";
    private const string Memory = "in memory";
    private const int Variations = 256;
    private const string Constant = "/perf/echo?name=weir&x=1&y=2&e=Apple";

    private static readonly string[] Asked = [Constant, "/perf/echo?name=caller7&x=7&y=21&e=Orange", "/perf/echo?name=two%20words&x=-1&y=3&e=Grape"];
    private static readonly string[] Fruits = ["Apple", "Orange", "Grape"];

    public override string Name => "frameworks";

    public override string Question => "GET Perf/Echo(name, x, y, e) → {name, sum}: managed bytes, CPU time and requests per second by framework.";

    public override string? Document => "004";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 22, 310));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        yield return OverSockets(shared, scale, "one at a time", depth: 1, [Constant], Ways) with { Rounds = scale.Pick(1, 1, 3) };
        Case[] decisive =
        [
            .. OverSockets(shared, scale, Pipelined, Depth, [Constant], Pipelining).Deciding(scale, "minimal API", "weir"),
            .. InMemory(scale, Memory, [Constant]).Deciding(scale, "floor", "minimal API", "weir"),
        ];
        foreach (var @case in decisive)
            yield return @case;
        if (scale == Scale.Quick)
            yield break;

        yield return OverSockets(shared, scale, $"{Pipelined}, varying", Depth, Varying, Pipelining) with { Rounds = scale.Pick(1, 1, 3) };
        yield return InMemory(scale, "in memory, varying", Varying) with { Rounds = scale.Pick(1, 1, 3) };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio(
            "endpoints: managed bytes at most 0.05 × minimal API (constant arguments)", measured["weir", Pipelined, RequestCost.Bytes], measured["minimal API", Pipelined, RequestCost.Bytes], Relation.AtMost, 0.05);
        yield return Promise.Ratio(
            "endpoints: CPU per pipelined request at most 0.7 × minimal API", measured["weir", Pipelined, RequestCost.Cpu], measured["minimal API", Pipelined, RequestCost.Cpu], Relation.AtMost, 0.7);
    }

    private static (string Name, string Program)[] Ways =>
        [("floor", "raw"), ("bare handler", "bare"), ("minimal API", "minimal"), ("MVC", "mvc"), ("HttpListener", "listener"), ("weir", "weir")];

    // HttpListener answers one request of a connection before it reads the next.
    private static IEnumerable<(string Name, string Program)> Pipelining => Ways.Where(way => way.Program != "listener");

    private static IReadOnlyList<string> Varying { get; } =
    [
        .. Enumerable.Range(0, Variations).Select(i =>
            string.Create(CultureInfo.InvariantCulture, $"/perf/echo?name=caller{i}&x={i}&y={i * 3}&e={Fruits[i % Fruits.Length]}")),
    ];

    private static Case OverSockets(SharedProcesses shared, Scale scale, string name, int depth, IReadOnlyList<string> paths, IEnumerable<(string Name, string Program)> ways)
    {
        var duration = TimeSpan.FromSeconds(scale.Pick(0.2, 0.25, 2));
        var warmUp = TimeSpan.FromSeconds(scale.Pick(0.2, 0.25, 0.5));
        return new Case(
            name,
            [
                .. ways.Select(way => OnNet(way.Name, ProgramLaunch.OfLab(way.Program))),
                OnNet("FastEndpoints", ProgramLaunch.OfNetPeers("fastendpoints")),
                GrpcCalls.Contender(shared, Connections * depth, duration, warmUp, paths, Asked),
                .. paths.Count == 1 && (depth == 1 || scale != Scale.Quick) ? Peers.Frameworks.Select(peer => Peer(shared, peer, depth, duration, paths)) : [],
            ])
        {
            Rounds = scale.Rounds(),
            Shared = shared,
        };

        HostedContender OnNet(string contender, ProgramLaunch launch) => new(contender, launch)
        {
            Shared = shared,
            Ask = AskAsync,
            Drive = (process, cancellation) => RequestCost.MeasureAsync(process, Connections, depth, duration, paths, cancellation),
            WarmUp = (process, cancellation) => Served.ClosedAsync(process, Connections, depth, warmUp, RequestSet.Get(paths), cancellation),
        };
    }

    private static HostedContender Peer(SharedProcesses shared, string name, int depth, TimeSpan duration, IReadOnlyList<string> paths)
    {
        var (needs, launch) = Peers.Framework(name);
        return new HostedContender(name, launch)
        {
            Needs = needs,
            Shared = shared,
            Ask = AskAsync,
            Drive = async (process, cancellation) =>
            {
                var before = 0.0;
                var result = await RequestCost.LoadAsync(process, Connections, depth, duration, paths, () => Task.FromResult(before = process.Meter.CpuSeconds), cancellation);
                return new Round()
                    .AddRate(RequestCost.Rate, result.Completed, result.Seconds)
                    .Add(RequestCost.Cpu, (process.Meter.CpuSeconds - before) * 1e6 / result.Completed, "µs");
            },
        };
    }

    // A constant argument, one of those that vary, and one that must be decoded.
    private static async Task<string?> AskAsync(ContenderProcess process, CancellationToken cancellation) => string.Join('\n', await Task.WhenAll(
        Asked.Select(path => Served.FetchAsync(process, path, cancellation))));

    // Client and server in one process, without the kernel between them: what is left is the framework, and the client, who
    // is measured alone beside them.
    private static Case InMemory(Scale scale, string name, IReadOnlyList<string> paths)
    {
        return new Case(name,
        [
            .. Pipelining.Select(way => Contender(way.Name, way.Program)),
            Contender("client alone", "canned"),
        ])
        {
            Rounds = scale.Rounds(),
        };

        HostedContender Contender(string contender, string program) => new(contender, ProgramLaunch.OfLab(program, "transport=memory"))
        {
            Ask = program == "canned" ? null : FetchAsync,
            Request = Load(scale.Pick(0.05, 0.25, 1.5)),
            WarmUpRequest = Load(scale.Pick(0.05, 0.25, 0.5)),
        };

        ControlLine Load(double seconds) =>
            new ControlLine("run").With("paths", string.Join(' ', paths)).With("seconds", seconds).With("depth", Depth);
    }

    private static async Task<string?> FetchAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var answers = new List<string>();
        foreach (var path in Asked)
            answers.Add((await process.AskAsync(new ControlLine("fetch").With("path", path), cancellation))["answer"]);
        return string.Join('\n', answers);
    }
}
