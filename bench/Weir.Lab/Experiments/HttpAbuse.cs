using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Requests that no well-meaning client sends: what becomes of them, of those behind them, of the server's memory and of its workers.</summary>
internal sealed class HttpAbuse : Experiment
{
    private const string Weir = "weir";
    private const string HealthyPath = "/perf/echo?name=a&x=1&y=2&e=Apple";
    private const int Senders = 8;

    // A dripped request takes some hundred times as long as another one.
    private const int DrippedShare = 10;

    // The answer of a server that is merely busy comes sooner.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private static readonly (string Name, string Program)[] Ways = [("plain", "mvc"), ("minimal", "minimal"), (Weir, "weir")];

    public override string Name => "http-abuse";

    public override string Question =>
        "Requests that are broken, hostile, or never end: how are they answered, is a healthy request behind each, and what is left of aborted uploads?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(30, 18, 600));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        foreach (var kind in HostileRequests.Kinds)
        {
            // Answers are counted, and nothing is timed.
            yield return new Case(kind, [.. Ways.Select(way => Contender(way.Name, way.Program, kind, shared, scale))])
            {
                Rounds = scale.Pick(1, 1, 3),
                AtOnce = scale == Scale.Quick,
                WarmUp = false,
                Shared = shared,
            };
        }

        foreach (var @case in UploadMemory.Cases(scale).Concat(DrippedBodies.Cases(scale)))
            yield return @case;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count("no hostile request is answered with 500, 501 or 502", OfAllKinds(measured, AbuseCount.Failures), Relation.Exactly, 0);
        yield return Promise.Count("no hostile request hangs", OfAllKinds(measured, AbuseCount.Hangs), Relation.Exactly, 0);
        yield return Promise.Count("a healthy request behind each is answered", OfAllKinds(measured, AbuseCount.Unanswered), Relation.Exactly, 0);
        foreach (var promise in UploadMemory.Promises(measured, scale).Concat(DrippedBodies.Promises(measured, scale)))
            yield return promise;
    }

    private static Series OfAllKinds(Measured measured, string metric) =>
        Series.Together("every kind", [.. HostileRequests.Kinds.Select(kind => measured[Weir, kind, metric])]);

    private static HostedContender Contender(string name, string program, string kind, SharedProcesses shared, Scale scale) =>
        new(name, ProgramLaunch.OfLab(program))
        {
            Shared = shared,
            Ask = async (process, cancellation) => await Served.FetchAsync(process, HealthyPath, cancellation),
            Drive = (process, cancellation) => SendAsync(process, kind, scale, cancellation),
        };

    // Every contender gets the same requests.
    private static async Task<Round> SendAsync(ContenderProcess process, string kind, Scale scale, CancellationToken cancellation)
    {
        var requests = scale.Pick(1, 10, 250) / (kind == HostileRequests.Dripped ? scale.Pick(1, DrippedShare, DrippedShare) : 1);
        var counts = await Task.WhenAll(Enumerable.Range(0, Senders).Select(sender => Task.Run(
            () => new HostileSender(Served.EndPoint(process), sender, Patience).RunAsync(kind, requests, cancellation), cancellation)));
        var all = new AbuseCount();
        foreach (var count in counts)
            all.Merge(count);
        return all.ToRound();
    }
}
