using Weir.Lab.Contenders.Floors;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: how many tasks an environment that stands runs per second, one after the other.</summary>
internal sealed class IsolationTasks : Experiment
{
    private const int Bytes = 1024;
    private const int Workers = 2;
    private const string Pool = "document's pool";
    private const string Rate = "tasks/s";
    private const string Bytewise = "bytes per call";

    private const string Floor = "floor socket";

    // Two threads of a bare pair of processes are woken for a call, three of a pool that awaits; what a wake costs depends on the machine.
    private const double WakesToFloor = 1.5;

    // Host and worker sleep between two calls: the slowest hundredth is what the scheduler makes of the wakes.
    private const double MostOfTail = 4;

    private static readonly string[] Promised = ["weir", Floor];

    public override string Name => "isolation-tasks";

    public override string Question => "10,000 tasks in one environment: by value and by buffer, without load and with; one at a time, and many in flight.";

    public override string? Document => "003";

    public override string? QuickLeavesOut => "tasks by value";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 29, 390));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        // The promises are about the document's own task, which is first: it warms the processes that are asked the others, too.
        var (one, many) = (new SharedProcesses(), new SharedProcesses());
        foreach (var kind in new[] { TaskKind.Load, TaskKind.Nothing })
        {
            foreach (var mode in scale == Scale.Quick ? [LineProtocol.Blob] : new[] { LineProtocol.Blob, LineProtocol.Value })
            {
                var (count, few) = (scale.Pick(50, 5_000, 10_000), scale.Pick(50, 500, 10_000));
                var isDecisive = mode == LineProtocol.Blob && kind == TaskKind.Load;
                foreach (var part in OneAtATime(one, scale, mode, kind, isDecisive, isDecisive ? count : few, few).Deciding(scale, isDecisive ? Promised : []))
                    yield return part.Rounds == 1 ? part : part.LikeAPool(scale);
            }
        }

        // As above, the first warms the processes of both.
        foreach (var window in new[] { 64, 256 })
        {
            foreach (var part in Many(many, scale, window).Deciding(scale, window == 256 ? ["weir", Pool] : []))
                yield return window == 64 || scale == Scale.Full ? part.LikeAPool(scale) : part with { WarmFor = TimeSpan.Zero };
        }

        yield return new Case(Bytewise, [Weir(one, "weir", 1, Allocation(scale.Pick(100, 20_000, 50_000)), Allocation(scale.Pick(100, 5_000, 20_000)))])
        {
            Rounds = scale.Rounds(),
            Shared = one,
        };

        static ControlLine Allocation(int count) => new ControlLine("allocation").With("bytes", 64).With("count", count);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var load = CaseName(LineProtocol.Blob, TaskKind.Load);
        yield return Promise.Ratio(
            FormattableString.Invariant($"one at a time: p50 at most {WakesToFloor} × two bare processes that block on a socket"),
            measured["weir", load, "p50"], measured[Floor, load, "p50"], Relation.AtMost, WakesToFloor);
        yield return Promise.Ratio(
            FormattableString.Invariant($"one at a time: p99 at most {MostOfTail} × p50"), measured["weir", load, "p99"], measured["weir", load, "p50"], Relation.AtMost, MostOfTail);
        yield return NoBytes("host");
        yield return NoBytes("worker");

        Promise NoBytes(string side) => Promise.Count(
            $"ValueTask<int>(ReadOnlyMemory<byte>) costs the {side} no managed bytes (less than one per call)", measured["weir", Bytewise, $"int(bytes), {side}"], Relation.AtMost, 0.9);
    }

    /// <summary>The name of a case, to find its rows.</summary>
    public static string CaseName(string mode, TaskKind kind) =>
        $"{(kind == TaskKind.Nothing ? "no load" : "load")}, {(mode == LineProtocol.Value ? "VALUE" : "BLOB")}";

    private static string InFlight(int window) => $"no load, BLOB, {window} in flight";

    private static HostedContender Peer(string name, TaskKind kind, int count) => Peers.Pool(
        name, workers: 1, new ControlLine("tasks").With("mode", LineProtocol.Blob).With("kind", kind.ToString()).With("bytes", Bytes).With("count", count));

    private static HostedContender Weir(SharedProcesses shared, string name, int workers, ControlLine request, ControlLine warmUp, string language = "") =>
        new(name, ProgramLaunch.OfLab("weir-pool", $"max={workers}", $"language={language}"))
        {
            Shared = shared,
            Needs = language.Length == 0 ? Availability.Present : ForeignWorkers.Needs(language),
            Request = request,
            WarmUpRequest = warmUp,
            Question = new ControlLine("answer").With("bytes", Bytes),
            Expected = HelloAnswer.Of(Bytes),
        };

    // Each contender has one worker: there is one task at a time. Other hosts and languages are shown in a quick run for the document's own
    // task only.
    private static Case OneAtATime(SharedProcesses shared, Scale scale, string mode, TaskKind kind, bool isDecisive, int count, int few)
    {
        var withOthers = scale == Scale.Full || isDecisive;
        var floor = new RoundTrips(mode, kind, Bytes, isDecisive ? count : few) { WarmUpSeconds = PoolWarmUp.BesideSeconds(scale) };
        return new Case(CaseName(mode, kind),
        [
            On(IsolationHosts.Net, "in-process", "in-process", few),
            On(IsolationHosts.Net, "process Mono", "process", few, onMono: true),
            On(IsolationHosts.Net, "process .NET 10", "process", few),
            .. mode == LineProtocol.Blob ? [On(IsolationHosts.Net, Pool, "pool", count)] : Array.Empty<Contender>(),
            .. withOthers ? OnMono() : [],
            .. mode == LineProtocol.Blob && withOthers ? Peers.Pools.Select(name => Peer(name, kind, few)) : [],
            OnWeir("weir", "tasks", count),
            .. withOthers
                ? ForeignWorkers.Languages.Select(language => OnWeir($"weir {language}", "tasks", scale.Pick(20, 500, count), language))
                : [],
            new PipeFloor(floor),
            new SocketFloor(floor),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = shared,
            Given = [.. DocumentRows(mode, kind)],
        };

        Contender[] OnMono() =>
        [
            On(IsolationHosts.Mono, "Mono: in-process", "in-process", few),
            On(IsolationHosts.Mono, "Mono: AppDomain", "appdomain", few),
            On(IsolationHosts.Mono, "Mono: process Mono", "process", few, onMono: true),
            On(IsolationHosts.Mono, "Mono: process .NET 10", "process", few),
        ];

        ControlLine Tasks(string verb) => new ControlLine(verb).With("mode", mode).With("kind", kind.ToString()).With("bytes", Bytes);

        ControlLine WarmUp(string name, string verb) =>
            Tasks(verb).With("seconds", isDecisive && Promised.Contains(name) ? PoolWarmUp.Seconds(scale) : PoolWarmUp.BesideSeconds(scale));

        HostedContender OnWeir(string name, string verb, int times, string language = "") =>
            Weir(shared, name, 1, Tasks(verb).With("count", times), WarmUp(name, verb), language);

        HostedContender On(string host, string name, string environment, int times, bool onMono = false)
        {
            // A direct call would be over before the clock has ticked often, and a list of all of them in a long round would fill the memory.
            var isDirect = environment == "in-process";
            return IsolationHosts.On(
                host,
                name,
                In(isDirect ? Tasks("tasks").With("count", RoundLimit.Expected).With("seconds", scale.Pick(0.01, 0.1, 1)) : Tasks("tasks").With("count", times)),
                In(new ControlLine("answer").With("bytes", Bytes)),
                onMono ? Peers.Mono : Availability.Present,
                In(isDirect ? WarmUp(name, "tasks").With("count", RoundLimit.Expected) : WarmUp(name, "tasks")),
                shared);

            ControlLine In(ControlLine request) => request.With("environment", environment).With("min", 1).With("max", 1).WithRuntime(onMono);
        }
    }

    // For a time: rates are too far apart for a count. The document's pool bounds what is in flight by itself: 10 wait, and
    // one runs in each process. Other languages' pools are asked once in a quick run: where a promise is.
    private static Case Many(SharedProcesses shared, Scale scale, int window)
    {
        var seconds = scale.Pick(0.05, window == 256 ? 0.5 : 0.25, 3);
        return new Case(InFlight(window),
        [
            .. Peers.PoolsInFlight.Where(_ => window == 256 || scale == Scale.Full).Select(name => Peers.Pool(name, Workers, Request(seconds), Request(PoolWarmUp.BesideSeconds(scale)))),
            IsolationHosts.On(
                IsolationHosts.Net,
                Pool,
                InPool(Request(seconds)),
                InPool(new ControlLine("answer").With("bytes", Bytes)),
                warmUp: InPool(Request(PoolWarmUp.Seconds(scale))),
                shared: shared),
            Weir(shared, "weir", Workers, Request(seconds), Request(PoolWarmUp.Seconds(scale))),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = shared,
        };

        static ControlLine InPool(ControlLine request) =>
            request.With("environment", "pool").With("min", Workers).With("max", Workers).WithRuntime(onMono: false);

        ControlLine Request(double duration) => new ControlLine("pool").With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Nothing))
            .With("bytes", Bytes).With("seconds", duration).With("window", window);
    }

    private static IEnumerable<Row> DocumentRows(string mode, TaskKind kind)
    {
        var name = CaseName(mode, kind);
        double[] figures = (mode, kind) switch
        {
            (LineProtocol.Value, TaskKind.Nothing) => [10_000_000, 43668.1223, 52631.5789, double.PositiveInfinity, 26881.7204, 51546.3918, 57471.2644],
            (LineProtocol.Blob, TaskKind.Nothing) => [2_500_000, 21739.1304, 37037.0370, 5_000_000, 23419.2037, 19193.8580, 32051.2821],
            (LineProtocol.Value, _) => [84745.7627, 12919.8966, 29239.7661, 19011.4068, 10593.2203, 13440.8602, 27173.9130],
            _ => [85470.0855, 9861.9329, 25575.4476, 19120.4589, 10822.5108, 9285.0511, 21321.9616],
        };
        string[] contenders =
        [
            "document in-process", "document process .NET Fx", "document process .NET Core",
            "document Fx: in-process", "document Fx: AppDomain", "document Fx: process .NET Fx", "document Fx: process .NET Core",
        ];

        // One of them it printed as infinite.
        return contenders.Zip(figures)
            .Where(item => double.IsFinite(item.Second))
            .Select(item => Row.Fixed(item.First, name, Rate, item.Second, "1/s"));
    }
}
