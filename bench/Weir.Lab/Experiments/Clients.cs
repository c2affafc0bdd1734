using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 004: a call through the client that is generated from a contract.</summary>
internal sealed class Clients : Experiment
{
    private const string OneAtATime = "one call at a time";
    private const string Generated = "weir";
    private const string ByHand = "HttpClient by hand";

    public override string Name => "clients";

    public override string Question => "A call through a generated client, one at a time: time and bytes beside HttpClient code written by hand, and Refit.";

    public override string? Document => "004";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(8, 6, 60));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var server = new SharedServer(ProgramLaunch.OfLab("weir"));
        var @case = new Case(OneAtATime, [Contender(Generated, "weir"), Contender(ByHand, "hand"), Contender("Refit", "refit")])
        {
            Rounds = scale.Pick(1, 3, 9),
            Shared = server,
        };
        return scale == Scale.Tiny ? [@case] : @case.Deciding(scale, Generated, ByHand);

        HostedContender Contender(string name, string way) => new(name, ProgramLaunch.OfNetPeers("caller", $"way={way}"))
        {
            Shared = server.Clients,
            Expected = Echo.Of("lab", 41, 1, Fruit.Apple).ToString(),
            Ask = async (process, cancellation) => (await process.AskAsync(await RequestAsync("answer", 1), cancellation))["answer"],
            Drive = async (process, cancellation) => await process.RunAsync(await RequestAsync("run", scale.Pick(20, 3000, 10_000)), cancellation),
        };

        async Task<ControlLine> RequestAsync(string verb, int count) =>
            new ControlLine(verb).With("what", "calls").With("url", (await server.AddressAsync("/", tls: false)).AbsoluteUri).With("count", count);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio(
            "a call takes at most 1.05 × the time of HttpClient code written by hand", measured[Generated, OneAtATime, "call"], measured[ByHand, OneAtATime, "call"], Relation.AtMost, 1.05);
        yield return Promise.Ratio(
            "a call allocates at most 1.1 × the bytes of HttpClient code written by hand", measured[Generated, OneAtATime, "allocated"], measured[ByHand, OneAtATime, "allocated"], Relation.AtMost, 1.1);
    }
}
