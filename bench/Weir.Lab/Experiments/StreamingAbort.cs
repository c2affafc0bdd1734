using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 000: what is still produced once the caller has left; and what callers of fast streams who leave, or read on, cost others.</summary>
internal sealed class StreamingAbort : Experiment
{
    private const int Items = 10;
    private const int Wanted = 2;
    private const int LogInterval = 20;
    private const int LogPatience = 100;
    private const int LastLogPatience = 300;
    private const string Async = "weir async";
    private const string Blocking = "weir blocking";
    private const string Isolated = "weir isolated";

    private static readonly string[] Promised = [Async, Blocking, Isolated];

    public override string Name => "streaming-abort";

    public override string Question => "The caller of 10 slow items leaves after the 2nd: how many are produced, and how soon does the producer stop? What do fast streams cost others, and their leaving callers?";

    public override string? Document => "000";

    public override string? QuickLeavesOut => "a small request beside 8 readers at full speed: beside 32 it waits longer";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(20, 28, 300));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        // A producer that stops at once is cancelled several times where something is promised; one that continues for seconds, or for an item, once.
        var (delay, times) = (Delay(scale), scale.Pick(1, 2, 2));
        var @case = new Case(CaseName(scale),
        [
            Contender("plain checked", "mvc", "/weather/checked", delay, 1),
            Contender("plain token", "mvc", "/weather/stream", delay, 1),
            Contender("plain lazy", "mvc", "/weather/lazy", delay, 1),
            Contender(Async, "weir", "/weather/stream", delay, times),
            Contender(Blocking, "weir", "/weather/lazy", delay, 1),
            Contender(Isolated, "weir", "/weather/isolated", delay, times, "/weather/isolatedproduction", "workers=1"),
            Contender("floor", "raw", "/weather/stream", delay, 1),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Given = [Row.Fixed("document", CaseName(scale), "items", Wanted, "")],
        };

        // Nothing here is a ratio: in a quick run one round is enough for all. Of those that nothing is promised about most only wait.
        foreach (var part in @case.DecidingAtLength(scale, Promised))
        {
            yield return part with
            {
                Rounds = Math.Min(part.Rounds, @case.Rounds),
                AtOnce = !part.Contenders.Any(contender => Promised.Contains(contender.Name)),
                WarmFor = TimeSpan.Zero,
            };
        }

        foreach (var part in FastStreams.Cases(scale))
            yield return part;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency("an asynchronous producer stops at most 2 ms after its caller left", measured[Async, CaseName(scale), "stopped after"], 2);
        yield return Promise.Count("a blocking producer gives at most one more item", measured[Blocking, CaseName(scale), "items"], Relation.AtMost, Wanted + 1);
        yield return Promise.Latency("the token of an isolated producer fires at most 5 ms after its caller left", measured[Isolated, CaseName(scale), "token after"], 5);

        // Of an isolated stream the host and the worker each say when they stopped.
        foreach (var contender in Promised)
        {
            var (lines, words) = contender == Isolated ? (2, "two log lines say so") : (1, "one log line says so");
            yield return Promise.Count($"{contender}: {words}", measured[contender, CaseName(scale), "log lines"], Relation.Exactly, lines);
        }

        foreach (var promise in FastStreams.Promises(measured, scale))
            yield return promise;
    }

    private static string CaseName(Scale scale) => $"{Items} items of {Delay(scale)} ms";

    private static int Delay(Scale scale) => scale.Pick(50, 200, 2000);

    private static HostedContender Contender(
        string name, string program, string path, int delay, int times, string? productionPath = null, params IEnumerable<string> settings) =>
        new(name, ProgramLaunch.OfLab(program, settings))
        {
            Drive = (process, cancellation) => LeaveAsync(process, path, delay, times, productionPath, cancellation),
            WarmUp = (process, cancellation) => LeaveOnceAsync(process, path, 5, TimeSpan.Zero, productionPath, cancellation),
        };

    // Times are medians of all leaves, counts those of the worst.
    private static async Task<Round> LeaveAsync(
        ContenderProcess process, string path, int delay, int times, string? productionPath, CancellationToken cancellation)
    {
        var leaves = new List<Left>(times);
        for (var i = 1; i <= times; i++)
        {
            leaves.Add(await LeaveOnceAsync(
                process, path, delay, TimeSpan.FromMilliseconds(i == times ? LastLogPatience : LogPatience), productionPath, cancellation));
        }

        var round = new Round()
            .Add("items", leaves.Max(left => left.Items), "")
            .Add("stopped after", Summary.Of(leaves.Select(left => left.StoppedAfter)).Median, "ms")
            .Add("log lines", leaves.Select(left => left.LogLines).MaxBy(static lines => Math.Abs(lines - 1)), "");
        return leaves.Exists(static left => left.TokenAfter is null)
            ? round
            : round.Add("token after", Summary.Of(leaves.Select(left => left.TokenAfter!.Value)).Median, "ms");
    }

    private static async Task<Left> LeaveOnceAsync(
        ContenderProcess process, string path, int delay, TimeSpan logPatience, string? productionPath, CancellationToken cancellation)
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

        // Until the producer has ended, however long it continues without a reader.
        var after = before;
        while (after.Int("ended") == before.Int("ended"))
        {
            if (Clock.MillisecondsBetween(left, Clock.Now) > (Items * delay) + 5_000)
                throw new TimeoutException("The producer never ended.");
            await Task.Delay(20, cancellation);
            after = await ProductionAsync(process, productionPath, cancellation);
        }

        return new Left(
            Items: after.Int("produced") - before.Int("produced"),
            StoppedAfter: Clock.MillisecondsBetween(left, (long)after.Number("endedAt")),
            TokenAfter: after.Number("cancelledAt") > 0 ? Clock.MillisecondsBetween(left, (long)after.Number("cancelledAt")) : null,
            LogLines: await LogLinesAsync(process, logged, logPatience, cancellation));
    }

    // The host logs, wherever the producer runs. A first line may come late, and a second one after it.
    private static async Task<int> LogLinesAsync(ContenderProcess process, int before, TimeSpan patience, CancellationToken cancellation)
    {
        var began = Clock.Now;
        while (await LinesAsync() == 0 && Clock.SecondsSince(began) < patience.TotalSeconds)
            await Task.Delay(LogInterval, cancellation);
        await Task.Delay(LogPatience, cancellation);
        return await LinesAsync();

        async Task<int> LinesAsync() => (await ProductionAsync(process, null, cancellation)).Int("logged") - before;
    }

    // Of the contender's own process, or of the worker behind it.
    private static async Task<ControlLine> ProductionAsync(ContenderProcess process, string? path, CancellationToken cancellation) => path is null
        ? await process.AskAsync(new ControlLine("production"), cancellation)
        : ControlLine.Parse(await Served.FetchAsync(process, path, cancellation))!;

    private sealed record Left(int Items, double StoppedAfter, double? TokenAfter, int LogLines);
}
