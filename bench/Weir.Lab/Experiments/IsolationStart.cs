using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: how often an environment can be made, used for nothing, and thrown away.</summary>
internal sealed class IsolationStart : Experiment
{
    private const string Empty = "process .NET 10";
    private const string Standby = "weir standby";

    // Its class has a constructor that is given services: a container is built before the worker is ready.
    private const string Served = "weir with services";
    private const string ServedStandby = "weir with services, standby";

    // What takes microseconds is started so many times as often: a hundred of them would be over before the clock has ticked.
    private const int Cheaply = 50;

    public override string Name => "isolation-start";

    public override string Question => "How many environments start, run an empty Main, and end per second?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(6, 22, 300));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var @case in Host(scale, IsolationHosts.Net, "AssemblyLoadContext", "GenericHost").Deciding(scale, "weir", Standby, Served, ServedStandby, Empty))
            yield return @case;
        yield return Host(scale, IsolationHosts.Mono, "appdomain") with { Rounds = scale.Pick(1, 1, 3) };
    }

    private static Case Host(Scale scale, string host, params IEnumerable<string> own)
    {
        var count = scale.Pick(2, 6, 100);
        return new Case(host,
        [
            On("in-process", new ControlLine("start").With("environment", "in-process"), count * Cheaply),
            On("thread", new ControlLine("start").With("environment", "thread"), count * Cheaply),
            .. own.Select(environment => On(
                environment == "appdomain" ? "AppDomain" : environment,
                new ControlLine("start").With("environment", environment).With("empty", BuiltPrograms.Empty), count)),
            On("process Mono", new ControlLine("start").With("environment", "process").WithRuntime(onMono: true), count, Peers.Mono),
            On(Empty, new ControlLine("start").With("environment", "process").WithRuntime(onMono: false), count),
            .. host == IsolationHosts.Net ? Weir(scale, count) : [],
            On("floor", new ControlLine("start").With("environment", "process").With("runner", "/bin/true").With("empty", "nothing"), count),
        ])
        {
            Rounds = scale.Pick(1, 2, 3),
            Given = [.. DocumentRows(host)],
        };

        HostedContender On(string name, ControlLine request, int times, Availability? needs = null) =>
            IsolationHosts.On(
                host, name, request.With("count", times), needs: needs, warmUp: request.Copy().With("count", WarmUps(times)));
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale) =>
    [
        Promise.Ratio(
            "start to READY: at most 1.4 × an empty program", measured["weir", IsolationHosts.Net, "start"],
            measured[Empty, IsolationHosts.Net, "start"], Relation.AtMost, 1.4),
        Promise.Latency("a null call on a standby worker: at most 1 ms", measured[Standby, IsolationHosts.Net, "start"], 1),
        Promise.Ratio(
            "a null call on a standby worker, with constructor services: at most 2 × one without", measured[ServedStandby, IsolationHosts.Net, "start"],
            measured[Standby, IsolationHosts.Net, "start"], Relation.AtMost, 2),
    ];

    private static int WarmUps(int count) => Math.Max(1, count / 4);

    // Other runtimes take their time to start: in a quick run a few of them are enough.
    private static IEnumerable<Contender> Weir(Scale scale, int count) =>
    [
        Weir("weir", new ControlLine("start"), count),
        Weir(Standby, new ControlLine("standby"), count),
        Weir(Served, new ControlLine("start").With("services", 1), count),
        Weir(ServedStandby, new ControlLine("standby").With("services", 1), count),
        .. ForeignWorkers.Languages.Select(language =>
            Weir($"weir {language}", new ControlLine("start"), scale.Pick(1, 3, 25), ForeignWorkers.Needs(language), $"language={language}")),
    ];

    private static HostedContender Weir(string name, ControlLine request, int count, Availability? needs = null, params IEnumerable<string> settings) =>
        new(name, ProgramLaunch.OfLab("weir-pool", settings))
        {
            Needs = needs ?? Availability.Present,
            Request = request.With("count", count),
            WarmUpRequest = request.Copy().With("count", WarmUps(count)),
        };

    private static IEnumerable<Row> DocumentRows(string host)
    {
        var (framework, core) = host == IsolationHosts.Net ? (31.25, 23.2558) : (11.7647, 12.6582);
        yield return Row.Fixed("document process .NET Fx", host, "starts/s", framework, "1/s");
        yield return Row.Fixed("document process .NET Core", host, "starts/s", core, "1/s");
        if (host == IsolationHosts.Mono)
            yield return Row.Fixed("document AppDomain", host, "starts/s", 333.3333, "1/s");
    }
}
