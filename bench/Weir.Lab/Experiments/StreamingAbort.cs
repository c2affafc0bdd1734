using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 000: what is still produced once the caller has left.</summary>
internal sealed class StreamingAbort : Experiment
{
    private const int Items = 10;
    private const int Wanted = 2;
    private const int LogInterval = 50;
    private const int LogPatience = 500;
    private const string Async = "weir async";
    private const string Blocking = "weir blocking";
    private const string Isolated = "weir isolated";

    public override string Name => "streaming-abort";

    public override string Question => "The caller of 10 slow items leaves after the 2nd: how many are produced, and how soon does the producer stop?";

    public override string? Document => "000";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 15, 150));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var delay = Delay(scale);
        yield return new Case(CaseName(scale),
        [
            Contender("plain checked", "mvc", "/weather/checked", delay),
            Contender("plain token", "mvc", "/weather/stream", delay),
            Contender("plain lazy", "mvc", "/weather/lazy", delay),
            Contender(Async, "weir", "/weather/stream", delay),
            Contender(Blocking, "weir", "/weather/lazy", delay),
            Contender(Isolated, "weir", "/weather/isolated", delay, "/weather/isolatedproduction", "workers=1"),
            Contender("floor", "raw", "/weather/stream", delay),
        ])
        {
            Rounds = scale.Pick(1, 2, 3),
            Given = [Row.Fixed("document", CaseName(scale), "items", Wanted, "")],
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency("an asynchronous producer stops at most 2 ms after its caller left", measured[Async, CaseName(scale), "stopped after"], 2);
        yield return Promise.Count("a blocking producer gives at most one more item", measured[Blocking, CaseName(scale), "items"], Relation.AtMost, Wanted + 1);
        yield return Promise.Latency("the token of an isolated producer fires at most 5 ms after its caller left", measured[Isolated, CaseName(scale), "token after"], 5);
        foreach (var contender in new[] { Async, Blocking, Isolated })
            yield return Promise.Count($"{contender}: one log line says so", measured[contender, CaseName(scale), "log lines"], Relation.Exactly, 1);
    }

    private static string CaseName(Scale scale) => $"{Items} items of {Delay(scale)} ms";

    private static int Delay(Scale scale) => scale.Pick(50, 200, 2000);

    private static HostedContender Contender(
        string name, string program, string path, int delay, string? productionPath = null, params IEnumerable<string> settings) =>
        new(name, ProgramLaunch.OfLab(program, settings))
        {
            Drive = (process, cancellation) => LeaveAsync(process, path, delay, productionPath, cancellation),
            WarmUp = (process, cancellation) => LeaveAsync(process, path, 5, productionPath, cancellation),
        };

    private static async Task<Round> LeaveAsync(
        ContenderProcess process, string path, int delay, string? productionPath, CancellationToken cancellation)
    {
        var before = await ProductionAsync(process, productionPath, cancellation);
        var logged = (await ProductionAsync(process, null, cancellation)).Int("logged");
        var left = await Task.Factory.StartNew(
            () =>
            {
                var clock = new ItemClock();
                using (var stream = RawStream.Get(process.Ready.Int("port"), $"{path}?days={Items}&delay={delay}"))
                    stream.Read(clock.Feed, () => clock.Items >= Wanted);
                return Clock.Now;
            },
            cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        // Until the producer has ended, however long it goes on for nobody.
        var after = before;
        while (after.Int("ended") == before.Int("ended"))
        {
            if (Clock.MillisecondsBetween(left, Clock.Now) > (Items * delay) + 5_000)
                throw new TimeoutException("The producer never ended.");
            await Task.Delay(20, cancellation);
            after = await ProductionAsync(process, productionPath, cancellation);
        }

        // The host logs, wherever the producer runs.
        var logs = 0;
        for (var waited = 0; logs == 0 && waited < LogPatience; waited += LogInterval)
        {
            await Task.Delay(LogInterval, cancellation);
            logs = (await ProductionAsync(process, null, cancellation)).Int("logged") - logged;
        }

        var round = new Round()
            .Add("items", after.Int("produced") - before.Int("produced"), "")
            .Add("stopped after", Clock.MillisecondsBetween(left, (long)after.Number("endedAt")), "ms")
            .Add("log lines", logs, "");
        return after.Number("cancelledAt") > 0
            ? round.Add("token after", Clock.MillisecondsBetween(left, (long)after.Number("cancelledAt")), "ms")
            : round;
    }

    // Of the contender's own process, or of the worker behind it.
    private static async Task<ControlLine> ProductionAsync(ContenderProcess process, string? path, CancellationToken cancellation) => path is null
        ? await process.AskAsync(new ControlLine("production"), cancellation)
        : ControlLine.Parse(await Served.FetchAsync(process, path, cancellation))!;
}
