using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>More senders of one byte a second than the pool has workers: how long other calls of that pool take.</summary>
internal static class DrippedBodies
{
    private const string Whole = "weir, whole bodies";
    private const string Items = "weir, items";
    private const int Workers = 2;
    private const int Senders = 4 * Workers;
    private const int StallSeconds = 2;
    private const double Rate = 10;
    private const int AskingConnections = 256;

    // A sender of items is given a worker after a second, and keeps it for the stall timeout; all that came before take their turns.
    private const double LongestTurnSeconds = 1 + ((double)Senders / Workers * StallSeconds);

    private static readonly string CaseName = $"{Senders} senders of 1 byte/s, {Workers} workers";

    public static IEnumerable<Case> Cases(Scale scale)
    {
        var weir = ProgramLaunch.OfLab("weir", "pool=tasks", $"workers={Workers}", $"senderStall={StallSeconds}");
        var minimal = ProgramLaunch.OfLab("minimal");

        // They wait and hardly compute, so they run beside each other.
        yield return new Case(CaseName,
        [
            Contender("minimal, whole bodies", new Dripped(minimal, "/uploads/size", "application/octet-stream", "", "/hello/world"), scale),
            Contender(Whole, new Dripped(weir, "/uploads/workersize", "application/octet-stream", "", "/uploads/workerhello"), scale),
            Contender("minimal, items", new Dripped(minimal, "/uploads/sum", "application/json", "[1", "/hello/world"), scale),
            Contender(Items, new Dripped(weir, "/uploads/workersum", "application/json", "[1", "/uploads/workerhello"), scale),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
            AtOnce = true,
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var name in new[] { Whole, Items })
            yield return Promise.Count($"{CaseName}, {name}: every healthy call is answered", measured[name, CaseName, "unanswered"], Relation.Exactly, 0);
        yield return Promise.Latency($"{CaseName}, {Whole}: p50 of at most 10 ms, no worker waits for them", measured[Whole, CaseName, "healthy p50"], 10);
        yield return Promise.Latency(
            $"{CaseName}, {Items}: at most {LongestTurnSeconds:0} s, they lose their workers after the stall timeout", measured[Items, CaseName, "healthy worst"],
            LongestTurnSeconds * 1_000);
    }

    private static FreshContender Contender(string name, Dripped dripped, Scale scale) =>
        FreshContender.Of(name, dripped.Launch, (process, cancellation) => AskBesideAsync(process, dripped, scale, cancellation));

    private static async Task<Round> AskBesideAsync(ContenderProcess process, Dripped dripped, Scale scale, CancellationToken cancellation)
    {
        for (var i = 0; i < 20; i++)
            await Served.FetchAsync(process, dripped.Healthy, cancellation);

        await using var generators = new SharedProcesses();
        var asking = new OpenLoadGenerator(generators);
        await asking.StartAsync(cancellation);
        await using var senders = new DrippingSenders(Served.EndPoint(process), dripped.Path, dripped.MediaType, dripped.First, Senders, TimeSpan.FromSeconds(1));
        await Task.Delay(TimeSpan.FromSeconds(scale.Pick(0.1, 1.5, 1.5)), cancellation);
        var (duration, patience) = (TimeSpan.FromSeconds(scale.Pick(0.5, 3, 20)), TimeSpan.FromSeconds(scale.Pick(5, 15, 30)));
        var healthy = await asking.AskAsync(process, dripped.Healthy, AskingConnections, Rate, duration, patience, cancellation);
        return new Round()
            .Add("healthy p50", healthy.P50, "ms")
            .Add("healthy worst", healthy.Max, "ms")
            .Add("unanswered", healthy.Errors, "")
            .Add("dripping requests", senders.Begun, "");
    }

    /// <summary>What is dripped to whom, and what is asked beside it.</summary>
    private sealed record Dripped(ProgramLaunch Launch, string Path, string MediaType, string First, string Healthy);
}
