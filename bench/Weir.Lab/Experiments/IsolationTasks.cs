using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: how many tasks an environment that stands runs per second, one after the other.</summary>
internal sealed class IsolationTasks : Experiment
{
    private const int Bytes = 1024;

    public override string Name => "isolation-tasks";

    public override string Question => "10,000 tasks in one environment: by value and by buffer, without load and with; one at a time, and many in flight.";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 35, 120));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var kind in new[] { TaskKind.Nothing, TaskKind.Load })
        {
            foreach (var mode in new[] { LineProtocol.Value, LineProtocol.Blob })
                yield return OneAtATime(scale, mode, kind);
        }

        yield return Many(scale);
    }

    /// <summary>The name of a case, for whoever looks a row up.</summary>
    public static string CaseName(string mode, TaskKind kind) =>
        $"{(kind == TaskKind.Nothing ? "no load" : "load")}, {(mode == LineProtocol.Value ? "VALUE" : "BLOB")}";

    private static Case OneAtATime(Scale scale, string mode, TaskKind kind)
    {
        var count = scale.Pick(50, 3_000, 10_000);
        return new Case(CaseName(mode, kind),
        [
            On(IsolationHosts.Net, "in-process", "in-process"),
            On(IsolationHosts.Net, "process Mono", "process", onMono: true),
            On(IsolationHosts.Net, "process .NET 10", "process"),
            .. mode == LineProtocol.Blob ? [On(IsolationHosts.Net, "document's pool", "pool")] : Array.Empty<Contender>(),
            On(IsolationHosts.Mono, "Mono: in-process", "in-process"),
            On(IsolationHosts.Mono, "Mono: AppDomain", "appdomain"),
            On(IsolationHosts.Mono, "Mono: process Mono", "process", onMono: true),
            On(IsolationHosts.Mono, "Mono: process .NET 10", "process"),
            new PipeFloor(count),
            new SocketFloor(count),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Given = [.. DocumentRows(mode, kind)],
        };

        HostedContender On(string host, string name, string environment, bool onMono = false) => IsolationHosts.On(
            host,
            name,
            new ControlLine("tasks").With("environment", environment).With("mode", mode).With("kind", kind.ToString())
                .With("bytes", Bytes).With("count", count).With("max", 2).WithRuntime(onMono),
            new ControlLine("answer").With("environment", environment).With("bytes", Bytes).WithRuntime(onMono),
            onMono ? Peers.Mono : Availability.Present);
    }

    // The document's pool bounds what is in flight by itself: 10 wait, and one runs in each process.
    private static Case Many(Scale scale)
    {
        var count = scale.Pick(100, 20_000, 100_000);
        return new Case("no load, BLOB, in flight",
        [
            IsolationHosts.On(
                IsolationHosts.Net,
                "document's pool",
                new ControlLine("pool").With("environment", "pool").With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Nothing))
                    .With("bytes", Bytes).With("count", count).With("max", 2).WithRuntime(onMono: false)),
        ])
        {
            Rounds = scale.Pick(1, 2, 3),
        };
    }

    private static IEnumerable<Row> DocumentRows(string mode, TaskKind kind)
    {
        var name = CaseName(mode, kind);
        double[] figures = (mode, kind) switch
        {
            (LineProtocol.Value, TaskKind.Nothing) => [10_000_000, 43668.1223, 52631.5789, 26881.7204, 51546.3918, 57471.2644],
            (LineProtocol.Blob, TaskKind.Nothing) => [2_500_000, 21739.1304, 37037.0370, 23419.2037, 19193.8580, 32051.2821],
            (LineProtocol.Value, _) => [84745.7627, 12919.8966, 29239.7661, 10593.2203, 13440.8602, 27173.9130],
            _ => [85470.0855, 9861.9329, 25575.4476, 10822.5108, 9285.0511, 21321.9616],
        };
        string[] contenders =
        [
            "document in-process", "document process .NET Fx", "document process .NET Core",
            "document Fx: AppDomain", "document Fx: process .NET Fx", "document Fx: process .NET Core",
        ];
        return contenders.Zip(figures, (contender, figure) => Row.Fixed(contender, name, "tasks/s", figure, "1/s"));
    }
}
