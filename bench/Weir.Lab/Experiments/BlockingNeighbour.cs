using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What everybody else feels while a thousand calls block.</summary>
internal sealed class BlockingNeighbour : Experiment
{
    private const double Rate = 200;
    private const int AskingConnections = 16;

    public override string Name => "blocking-neighbour";

    public override string Question => "How long does a request that needs nothing wait while 1,000 blocking calls are in flight?";

    public override string? Document => "001";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 30, 150));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var milliseconds in scale.Pick<int[]>([10], [10, 100], [10, 100]))
        {
            yield return new Case(CaseName(milliseconds),
            [
                .. Blocking.Ways.Where(way => way.Name != "plain" || milliseconds == 10 || scale == Scale.Full).Select(way => new HostedContender(way.Name, ProgramLaunch.OfLab(way.Program, way.Settings))
                {
                    Drive = (process, cancellation) => AskAsync(process, $"{way.Path}?ms={milliseconds}", scale, cancellation),
                    WarmUp = (process, cancellation) => Served.ClosedAsync(process, 16, 1, TimeSpan.FromSeconds(0.2), RequestSet.Get("/hello/world"), cancellation),
                }),
            ])
            {
                Rounds = scale.Pick(1, 1, 3),
            };
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency("beside sleeps of 10 ms: p99 of at most 40 ms", measured["weir", CaseName(10), "hello p99"], 40);
        yield return Against(10);
        if (scale == Scale.Tiny)
            yield break;

        yield return Promise.Latency("beside sleeps of 100 ms: p99 of at most 5 ms", measured["weir", CaseName(100), "hello p99"], 5);
        yield return Against(100);

        Promise Against(int milliseconds) => Promise.Ratio(
            $"beside sleeps of {milliseconds} ms: p99 below that of a raised minimum", measured["weir", CaseName(milliseconds), "hello p99"],
            measured["raised minimum", CaseName(milliseconds), "hello p99"], Relation.AtMost, 1);
    }

    private static string CaseName(int milliseconds) => $"beside {milliseconds} ms sleeps";

    private static async Task<Round> AskAsync(ContenderProcess process, string blocking, Scale scale, CancellationToken cancellation)
    {
        var duration = TimeSpan.FromSeconds(scale.Pick(0.3, 1.5, 5));
        var head = TimeSpan.FromSeconds(scale.Pick(0.2, 0.7, 2));
        var giveUp = TimeSpan.FromSeconds(scale.Pick(1, 2, 10));
        using var crowd = new Reactor(Served.EndPoint(process), scale.Pick(50, 1000, 1000));
        using var asking = new Reactor(Served.EndPoint(process), AskingConnections);
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellation);

        var crowdModel = new ClosedModel(RequestSet.Get(blocking), depth: 1, TimeSpan.FromMinutes(5));
        var crowded = crowd.RunAsync(crowdModel, enough.Token);
        await Task.Delay(head, cancellation);
        var model = new OpenModel(RequestSet.Get("/hello/world"), Rate, duration, giveUp);
        await asking.RunAsync(model, cancellation);
        await enough.CancelAsync();
        await crowded.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);

        return new Round()
            .Add("hello p50", model.Result.Response.Milliseconds(50), "ms")
            .Add("hello p99", model.Result.Response.Milliseconds(99), "ms")
            .Add("unanswered", model.Result.Errors, "")
            .Add("generator late p99", model.Result.Lateness.Milliseconds(99), "ms")
            .Add("blocking calls/s", crowdModel.Result.Completed / (duration + head).TotalSeconds, "1/s");
    }
}
