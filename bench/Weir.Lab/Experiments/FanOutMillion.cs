using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>A list of addresses that does not fit: what a long fan-out costs beside the loop that people write by hand, and how one begins and ends.</summary>
internal sealed class FanOutMillion : Experiment
{
    private const string Weir = "weir";
    private const string ByHand = "loop by hand";
    private const string First = "endless list";
    private const string Cancel = "cancelled";
    private const int MaxConcurrency = 50;
    private const double Megabyte = 1e6;

    public override string Name => "fanout-million";

    public override string Question => "A million addresses through one HttpClient: requests per second and memory; the first result of an endless list; the end of a cancelled one.";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(6, 10, 240));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var server = new SharedServer(ProgramLaunch.OfLab("slow-server"));
        yield return new Case(Many(scale), [Sending(server, Weir, "weir", scale), Sending(server, ByHand, "by-hand", scale)])
        {
            Rounds = scale.Pick(1, 3, 3),
            WarmFor = scale.Pick(TimeSpan.Zero, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.5)),
            Patience = TimeSpan.FromMinutes(5),
            Shared = server,
        };
        foreach (var (name, what) in new[] { (First, "first"), (Cancel, "cancel") })
        {
            yield return new Case(name, [Client(server, Weir, "weir", async () => new ControlLine("run").With("what", what)
                .With("url", (await server.AddressAsync("/now", tls: false)).AbsoluteUri)
                .With("slow", (await server.AddressAsync("/wait?ms=60000", tls: false)).AbsoluteUri))])
            {
                Rounds = scale.Pick(1, 5, 11),
                Shared = server,
            };
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var (weir, loop) = (measured[Weir, Many(scale), "requests/s"], measured[ByHand, Many(scale), "requests/s"]);
        yield return Promise.Ratio("at least 0.9 × the rate of a loop by hand over the same client", weir, loop, Relation.AtLeast, 0.9);
        yield return Promise.Count("at most 80 MB resident, whatever the length of the list", measured[Weir, Many(scale), "peak resident"], Relation.AtMost, 80);
        yield return Promise.Count($"the first result before request {MaxConcurrency + 1} is read", measured[Weir, First, "read before the first result"], Relation.AtMost, MaxConcurrency);
        yield return Promise.Latency("50 requests end at most 10 ms after they are cancelled", measured[Weir, Cancel, "cancelled to ended"], 10);
        yield return Promise.Count("no response of a cancelled fan-out is left undisposed", measured[Weir, Cancel, "not disposed"], Relation.Exactly, 0);
    }

    private static int Count(Scale scale) => scale.Pick(500, 30_000, 1_000_000);

    private static string Many(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} addresses");

    private static HostedContender Sending(SharedServer server, string name, string way, Scale scale)
    {
        return Client(server, name, way, () => RequestAsync(Count(scale)), () => RequestAsync(scale.Pick(100, 10_000, 20_000)));

        async Task<ControlLine> RequestAsync(int count) => new ControlLine("run").With("what", "many")
            .With("url", (await server.AddressAsync("/now", tls: false)).AbsoluteUri).With("count", count);
    }

    private static HostedContender Client(SharedServer server, string name, string way, Func<Task<ControlLine>> request, Func<Task<ControlLine>>? warmUp = null) =>
        new(name, ProgramLaunch.OfLab("fanout-endless", $"way={way}"))
        {
            Shared = server.Clients,
            Drive = async (process, cancellation) =>
            {
                var round = await process.RunAsync(await request(), cancellation);
                return round.Add("peak resident", process.Meter.PeakResident / Megabyte, "MB");
            },
            WarmUp = async (process, cancellation) => await process.RunAsync(await (warmUp ?? request)(), cancellation),
        };
}
