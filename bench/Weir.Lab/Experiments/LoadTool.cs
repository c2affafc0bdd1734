using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.LoadGenerators;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What load generators say of a server that stalls once; how fast they are, and how punctual <c>weir load</c> is.</summary>
internal sealed class LoadTool : Experiment
{
    private const string Weir = "weir";
    private const string Open = "weir, open";
    private const string Fast = "64 connections";
    private const string Punctual = "5,000 requests/s";
    private const int FastConnections = 64;
    private const double PunctualRate = 5000;

    // A tool that measures from when it sent sees one slow request per connection. Twenty are half a percent of what is sent at
    // this rate while the server answers: p99 of such times hides the stall, and the response time of the same run shows it.
    private const int StallConnections = 20;
    private const double StallRate = 2000;

    // In seconds. The stall begins a while after the first request, when the tool has long started.
    private const double Before = 1;
    private const double Stall = 2;
    private const int Whole = 4;

    // Of a stall, a timer may miss a tick and a histogram has three digits.
    private const double Tolerance = 10;

    // Requests that are due at the beginning of the stall wait for all of it, later ones for what is left. So the longest 1 %
    // of the response times are those of the requests due in its first part, which is as long as 1 % of the whole run: p99 is
    // the stall less that, and a correct tool cannot say 2 s.
    private const double LeastP99 = ((Stall - (0.01 * Whole)) * 1000) - Tolerance;

    private static readonly string Stalled = FormattableString.Invariant($"a stall of {Stall} s");

    public override string Name => "load-tool";

    public override string Question => "A server stalls once for 2 s: does p99 show it? And how fast and how punctual is the load generator?";

    public override string? Document => null;

    public override string? QuickLeavesOut => "closed loops that meet the stall: weir load, which hides it, and wrk, which estimates it";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(22, 18, 170));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var stalls in Stalls(scale))
            yield return stalls;

        var raw = new SharedServer(ProgramLaunch.OfLab("raw"));
        var warm = new Lazy<Task<Uri>>(() => WarmAsync(raw));
        var fast = new Case(Fast,
        [
            Contender(Weir, new WeirLoad(scale.Pick(TimeSpan.Zero, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(1))), FastAsync),
            Contender("wrk", new Wrk(), FastAsync),
            Contender("hey", new Hey(), FastAsync),
            Contender("oha", new Oha(), FastAsync),
        ])
        {
            Rounds = scale.Rounds(),
            Shared = raw,
        };
        foreach (var part in fast.Deciding(scale, Weir, "wrk"))
            yield return part;

        yield return new Case(Punctual,
        [
            Contender(Weir, new WeirLoad(TimeSpan.FromSeconds(1)), async () => new LoadWork(await warm.Value, FastConnections, scale.Pick(1, 2, 10), PunctualRate)),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = raw,
        };

        async Task<LoadWork> FastAsync() => new(await warm.Value, FastConnections, scale.Pick(1, 1, 3));
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency(
            FormattableString.Invariant($"a stall of {Stall} s in {Whole} s is at least {LeastP99:N0} ms at p99 of the open model"),
            measured[Open, Stalled, LoadGenerator.P99], Relation.AtLeast, LeastP99);
        yield return Promise.Ratio(
            "64 connections, small answers: at least 0.7 × wrk's rate", measured[Weir, Fast, LoadGenerator.Rate], measured["wrk", Fast, LoadGenerator.Rate], Relation.AtLeast, 0.7);
        yield return Promise.Latency("5,000 requests/s: the generator is late by at most 0.5 ms at p50", measured[Weir, Punctual, WeirLoad.LateP50], 0.5);
    }

    // Those at a rate wait most of the time: in a quick run each stalls its own server beside the others. Those in a closed loop compute.
    private static IEnumerable<Case> Stalls(Scale scale)
    {
        var weir = new WeirLoad(TimeSpan.Zero);
        Contender[] paced =
        [
            Meeting(Open, weir, StallRate),
            Meeting("hey at the same rate", new Hey(), StallRate),
            Meeting("oha at the same rate", new Oha(), StallRate),
            .. scale == Scale.Full ? (Contender[])[Meeting("oha --latency-correction", new Oha(isCorrected: true), StallRate)] : [],
        ];
        var @case = new Case(Stalled, paced) { Rounds = scale.Pick(1, 1, 3), AtOnce = scale == Scale.Quick };
        yield return @case;
        if (scale != Scale.Quick)
            yield return @case with { Contenders = [Meeting("weir, closed", weir, null), Meeting("wrk", new Wrk(), null)], AtOnce = false };

        static FreshContender Meeting(string name, LoadGenerator generator, double? rate) => new(name, async cancellation =>
        {
            await using var server = new SharedServer(ProgramLaunch.OfLab("stalling-server"));
            await server.AskAsync(new ControlLine("stall").With("after", Before).With("seconds", Stall), cancellation);
            var round = await generator.RunAsync(new LoadWork(await server.AddressAsync("/now", tls: false), StallConnections, Whole, rate), cancellation);
            var stalled = await server.AskAsync(new ControlLine("stalled"), cancellation);
            return stalled.Int("held") > 0
                ? round.Add("stalled for", stalled.Number("seconds") * 1000, "ms").Add("requests held", stalled.Int("held"), "")
                : throw new InvalidDataException("no request arrived during the stall.");
        })
        {
            Needs = generator.Needs,
        };
    }

    private static FreshContender Contender(string name, LoadGenerator generator, Func<Task<LoadWork>> work) =>
        new(name, async cancellation => await generator.RunAsync(await work(), cancellation)) { Needs = generator.Needs };

    // The first tool must not be the one that meets a server which is still being compiled.
    private static async Task<Uri> WarmAsync(SharedServer server)
    {
        var address = await server.AddressAsync("/", tls: false);
        await LoadTest.RunAsync(new LoadOptions { Address = address, Connections = FastConnections, Duration = TimeSpan.FromSeconds(1) });
        return address;
    }
}
