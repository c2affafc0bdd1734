using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>How other requests are served while a thousand calls block.</summary>
internal sealed class BlockingNeighbour : Experiment
{
    // Enough that a request waits for a connection only where a server has stood still for long.
    private const int AskingConnections = 256;

    // A generator that is itself late says nothing about a server, whose own p99 is above 10 ms here.
    private const double LatestGenerator = 5;
    private const int Attempts = 3;
    private const string Plain = "plain";
    private const string Hello = "/hello/world";
    private const string Late = "generator late p99";

    // With the crowd: its threads are what warms up longest.
    private static readonly Plan WarmUpPlan = new(Crowd: 1000, Rate: 200, Head: TimeSpan.Zero, Duration: TimeSpan.FromSeconds(0.6), GiveUp: TimeSpan.FromSeconds(0.2));

    public override string Name => "blocking-neighbour";

    public override string Question => "How long does a request that needs nothing wait while 1,000 blocking calls are in flight?";

    public override string? Document => "001";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 33, 155));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        foreach (var milliseconds in scale.Pick<int[]>([10], [10, 100], [10, 100]))
        {
            // Plain would have its threads by then: it is asked as it is found.
            if (milliseconds == 10 || scale == Scale.Full)
                yield return Case(shared, scale, milliseconds, name => name == Plain) with { Rounds = 1, WarmUp = false };
            foreach (var @case in Case(shared, scale, milliseconds, name => name != Plain).Deciding(scale, "weir", "raised minimum"))
                yield return scale == Scale.Quick ? @case with { WarmFor = TimeSpan.Zero } : @case;
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Against(10, 0.8);
        if (scale != Scale.Tiny)
            yield return Against(100, 1.5);

        Promise Against(int milliseconds, double limit) => Promise.Ratio(
            $"beside sleeps of {milliseconds} ms: p99 at most {limit.ToString(CultureInfo.InvariantCulture)} × that of a raised minimum", measured["weir", CaseName(milliseconds), "hello p99"],
            measured["raised minimum", CaseName(milliseconds), "hello p99"], Relation.AtMost, limit);
    }

    private static string CaseName(int milliseconds) => $"beside {milliseconds} ms sleeps";

    private static Case Case(SharedProcesses shared, Scale scale, int milliseconds, Func<string, bool> wanted)
    {
        var asking = new OpenLoadGenerator(shared);
        return new Case(
            CaseName(milliseconds),
            [
                .. Blocking.For(scale).Where(way => wanted(way.Name)).Select(way => new HostedContender(way.Name, ProgramLaunch.OfLab(way.Program, way.Settings))
                {
                    Shared = way.Name == Plain ? null : shared,
                    Ask = async (process, cancellation) => await Served.FetchAsync(process, Hello, cancellation),
                    Expected = "Hello, world",
                    Drive = (process, cancellation) => AskAsync(asking, process, $"{way.Path}?ms={milliseconds}", scale, cancellation),
                    WarmUp = (process, cancellation) => AskOnceAsync(asking, process, $"{way.Path}?ms={milliseconds}", WarmUpPlan, cancellation),
                }),
            ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = shared,
        };
    }

    // A round in which the generator itself was late is not counted but made again; after a few of them there is no figure.
    private static async Task<Round> AskAsync(OpenLoadGenerator asking, ContenderProcess process, string blocking, Scale scale, CancellationToken cancellation)
    {
        var plan = new Plan(
            Crowd: scale.Pick(50, 1000, 1000), Rate: scale.Pick(200, 500, 500), Head: TimeSpan.FromSeconds(scale.Pick(0.2, 0.6, 1)),
            Duration: TimeSpan.FromSeconds(scale.Pick(0.3, 1, 5)), GiveUp: TimeSpan.FromSeconds(scale.Pick(1, 1, 5)));
        for (var attempt = 1; ; attempt++)
        {
            var round = await AskOnceAsync(asking, process, blocking, plan, cancellation);
            if (round[Late] <= LatestGenerator)
                return round;
            if (attempt == Attempts)
            {
                throw new InvalidDataException(string.Create(
                    CultureInfo.InvariantCulture, $"the load generator itself was {round[Late]:0.0} ms late (p99) in each of {Attempts} rounds; more than {LatestGenerator} ms says nothing about the server: run it on a quieter machine"));
            }
        }
    }

    private static async Task<Round> AskOnceAsync(OpenLoadGenerator asking, ContenderProcess process, string blocking, Plan plan, CancellationToken cancellation)
    {
        await asking.StartAsync(cancellation);
        using var crowd = new Reactor(Served.EndPoint(process), plan.Crowd);
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellation);

        var crowdModel = new ClosedModel(RequestSet.Get(blocking), depth: 1, TimeSpan.FromMinutes(5));
        var crowded = crowd.RunAsync(crowdModel, enough.Token);
        await Task.Delay(plan.Head, cancellation);
        var (blocked, began) = (crowdModel.Result.Completed, Clock.Now);
        var hello = await asking.AskAsync(process, Hello, AskingConnections, plan.Rate, plan.Duration, plan.GiveUp, cancellation);
        var blockedPerSecond = (crowdModel.Result.Completed - blocked) / Clock.SecondsSince(began);
        await enough.CancelAsync();
        await crowded.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);

        return new Round()
            .Add("hello p50", hello.P50, "ms")
            .Add("hello p99", hello.P99, "ms")
            .Add("unanswered", hello.Errors, "")
            .Add("no connection p99", hello.ConnectionWaitP99, "ms")
            .Add(Late, hello.LatenessP99, "ms")
            .Add("blocking calls/s", blockedPerSecond, "1/s");
    }

    private sealed record Plan(int Crowd, double Rate, TimeSpan Head, TimeSpan Duration, TimeSpan GiveUp);
}
