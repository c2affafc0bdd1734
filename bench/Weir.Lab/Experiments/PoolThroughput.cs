using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: what a pool of processes gets done.</summary>
internal sealed class PoolThroughput : Experiment
{
    private const int Workers = 2;
    private const string Cores = "in-process, all cores";
    private const string Pool = "document's pool";

    private static readonly string[] Promised = [Cores, Pool, "weir", "weir batch"];

    public override string Name => "pool-throughput";

    public override string Question => "Hashing a buffer of 1 KB and of 1 MB in a pool of 2 workers: tasks per second.";

    public override string? Document => "003";

    public override string? QuickLeavesOut => "1 MB on Mono and in the pools of others";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 25, 340));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        foreach (var bytes in new[] { 1024, 1024 * 1024 })
        {
            foreach (var part in Load(shared, scale, bytes).Deciding(scale, Promised))
            {
                // What has hashed kilobytes for seconds is hot: a megabyte needs one more warm-up, for its memory.
                var isHot = scale == Scale.Quick && bytes > 1024;
                yield return part.Rounds == 1 || isHot ? part with { WarmFor = TimeSpan.Zero } : part.LikeAPool(scale);
            }
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return AtLeast("1 KB", 0.5, "weir", "in-process, all cores");
        yield return AtLeast("1 KB", 0.75, "weir batch", "weir");
        yield return AtLeast("1 MB", 0.75, "weir", "in-process, all cores");

        Promise AtLeast(string @case, double limit, string contender, string other) => Promise.Ratio(
            FormattableString.Invariant($"{@case}: {contender} does at least {limit} × {other}"),
            measured[contender, @case, "tasks/s"], measured[other, @case, "tasks/s"], Relation.AtLeast, limit);
    }

    // Enough to keep the workers busy; large payloads would fill the machine's memory.
    private static int Window(int bytes) => bytes > 1024 ? 16 : 256;

    public static string CaseName(int bytes) => bytes == 1024 ? "1 KB" : "1 MB";

    // For a time: rates are too far apart for a count.
    private static Case Load(SharedProcesses shared, Scale scale, int bytes)
    {
        // In a quick run those that nothing is promised about are shown, and not for long.
        double Seconds(string name) => scale.Pick(0.05, Promised.Contains(name) ? 0.4 : 0.2, 2.5);
        double WarmSeconds(string name) => Promised.Contains(name) ? PoolWarmUp.Seconds(scale) : PoolWarmUp.BesideSeconds(scale);
        return new Case(CaseName(bytes),
        [
            On(IsolationHosts.Net, "in-process, one thread", "tasks", "in-process"),
            On(IsolationHosts.Net, Cores, "parallel", "none", answer: "parallel-answer"),
            On(IsolationHosts.Net, "single process", "tasks", "process"),
            On(IsolationHosts.Net, Pool, "pool", "pool"),
            .. scale != Scale.Quick || bytes == 1024 ? OnMono() : [],
            .. scale != Scale.Quick || bytes == 1024 ? Peers.PoolsInFlight.Select(name => Peers.Pool(name, Workers, Round(name, "pool"), WarmUp(name, "pool"))) : [],
            Weir("weir", "pool"),
            .. bytes == 1024
                ? [Peers.Pool(Peers.MapInChunks, Workers, Round(Peers.MapInChunks, "batch"), WarmUp(Peers.MapInChunks, "batch")), Weir("weir batch", "batch")]
                : Array.Empty<Contender>(),
            new AbsentContender("weir out of band", Availability.Later("payloads beside the channel; then 1 MB is to be at least 0.85 × in-process, all cores")),
            MemoryCopyFloor.Of(bytes, TimeSpan.FromSeconds(Seconds("floor") / 2)),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = shared,
            Given = [.. DocumentRows(bytes)],
        };

        // A megabyte takes them so long that a quick run shows the kilobyte only.
        Contender[] OnMono() =>
        [
            On(IsolationHosts.Mono, "Mono: in-process", "tasks", "in-process"),
            On(IsolationHosts.Mono, "Mono: AppDomain", "tasks", "appdomain"),
            On(IsolationHosts.Mono, "Mono: single process", "tasks", "process"),
            On(IsolationHosts.Mono, "Mono: document's pool", "pool", "pool"),
        ];

        HostedContender Weir(string name, string verb) => new(name, ProgramLaunch.OfLab("weir-pool", $"max={Workers}"))
        {
            Shared = shared,
            Request = Round(name, verb),
            WarmUpRequest = WarmUp(name, verb),
            Question = new ControlLine("answer").With("bytes", bytes),
            Expected = HelloAnswer.Of(bytes),
        };

        ControlLine Round(string name, string verb) => Request(verb, Seconds(name));

        ControlLine WarmUp(string name, string verb) => Request(verb, WarmSeconds(name));

        ControlLine Request(string verb, double duration) => new ControlLine(verb).With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Load))
            .With("bytes", bytes).With("seconds", duration).With("window", Window(bytes));

        // One at a time where the environment takes no more. The worker runs on .NET 10 whatever its host runs on, as the
        // document had it.
        HostedContender On(string host, string name, string verb, string environment, string answer = "answer") => IsolationHosts.On(
            host,
            name,
            Environment(Round(name, verb), environment),
            Environment(new ControlLine(answer).With("bytes", bytes), environment),
            warmUp: Environment(WarmUp(name, verb), environment),
            shared: shared);

        ControlLine Environment(ControlLine request, string environment) =>
            request.With("environment", environment).With("min", Workers).With("max", Workers).WithRuntime(onMono: false);
    }

    private static IEnumerable<Row> DocumentRows(int bytes)
    {
        string[] contenders =
        [
            "document in-process", "document single process", "document pool",
            "document Fx: in-process", "document Fx: AppDomain", "document Fx: single process", "document Fx: pool",
        ];
        double[] figures = bytes == 1024
            ? [84745.7627, 26385.2243, 58823.5294, 19120.4589, 10845.9870, 21598.2721, 51282.0513]
            : [102.3060, 55.1298, 183.8979, 20.9336, 20.7093, 40.9786, 168.8790];
        return contenders.Zip(figures, (contender, figure) => Row.Fixed(contender, CaseName(bytes), "tasks/s", figure, "1/s"));
    }
}
