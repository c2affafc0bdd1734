using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: what a pool of processes gets done.</summary>
internal sealed class PoolThroughput : Experiment
{
    private const int Workers = 2;

    public override string Name => "pool-throughput";

    public override string Question => "Hashing a buffer of 1 KB and of 1 MB in a pool of 2 workers: tasks per second.";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 50, 400));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return Load(scale, 1024, scale.Pick(100, 10_000, 50_000), scale.Pick(50, 2_000, 10_000));
        yield return Load(scale, 1024 * 1024, scale.Pick(4, 200, 2_000), scale.Pick(2, 20, 200));
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return AtLeast("1 KB", 5, "weir", "document's pool");
        yield return AtLeast("1 KB", 0.4, "weir", "in-process, all cores");
        yield return AtLeast("1 KB", 0.6, "weir batch", "in-process, all cores");
        yield return AtLeast("1 MB", 4, "weir", "document's pool");
        yield return AtLeast("1 MB", 0.7, "weir", "in-process, all cores");
        yield return AtLeast("1 MB", 0.85, "weir out of band", "in-process, all cores");

        Promise AtLeast(string @case, double limit, string contender, string other) => Promise.Ratio(
            FormattableString.Invariant($"{@case}: {contender} does at least {limit} × {other}"),
            measured[contender, @case, "tasks/s"], measured[other, @case, "tasks/s"], Relation.AtLeast, limit);
    }

    // Enough to keep the workers busy; large payloads would fill the machine's memory.
    private static int Window(int bytes) => bytes > 1024 ? 16 : 256;

    public static string CaseName(int bytes) => bytes == 1024 ? "1 KB" : "1 MB";

    // Mono and the interpreters get fewer tasks: their rates are as good, and nobody waits for minutes.
    private static Case Load(Scale scale, int bytes, int count, int few) => new(CaseName(bytes),
    [
        On(IsolationHosts.Net, "in-process, one thread", "tasks", "in-process", bytes, count),
        On(IsolationHosts.Net, "in-process, all cores", "parallel", "none", bytes, count),
        On(IsolationHosts.Net, "single process", "tasks", "process", bytes, count),
        On(IsolationHosts.Net, "document's pool", "pool", "pool", bytes, count),
        On(IsolationHosts.Mono, "Mono: in-process", "tasks", "in-process", bytes, few),
        On(IsolationHosts.Mono, "Mono: AppDomain", "tasks", "appdomain", bytes, few),
        On(IsolationHosts.Mono, "Mono: single process", "tasks", "process", bytes, few, onMono: true),
        On(IsolationHosts.Mono, "Mono: document's pool", "pool", "pool", bytes, few),
        .. Peers.Pools.Select(name => Peer(name, bytes, few)),
        new HostedContender("weir", ProgramLaunch.OfLab("weir-pool", $"max={Workers}"))
        {
            Request = new ControlLine("pool").With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Load)).With("bytes", bytes)
                .With("count", count).With("window", Window(bytes)),
            Question = new ControlLine("answer").With("bytes", bytes),
        },
        new AbsentContender("weir batch", Availability.Later("calls in batches")),
        new AbsentContender("weir out of band", Availability.Later("payloads beside the channel")),
        MemoryCopyFloor.Of(bytes, count),
    ])
    {
        Rounds = scale.Pick(1, 2, 3),
        Given = [.. DocumentRows(bytes)],
    };

    // One at a time where the environment takes no more; otherwise as the pool bounds it.
    private static HostedContender On(string host, string name, string verb, string environment, int bytes, int count, bool onMono = false)
    {
        return IsolationHosts.On(host, name, Request(verb), environment == "none" ? null : Request("answer"));

        ControlLine Request(string asked) => new ControlLine(asked).With("environment", environment).With("mode", LineProtocol.Blob)
            .With("kind", nameof(TaskKind.Load)).With("bytes", bytes).With("count", count).With("max", Workers).WithRuntime(onMono);
    }

    private static HostedContender Peer(string name, int bytes, int count) => Peers.Pool(
        name,
        new ControlLine("pool").With("kind", nameof(TaskKind.Load)).With("bytes", bytes).With("count", count).With("window", Window(bytes)),
        new ControlLine("answer").With("bytes", bytes));

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
