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

    public override string Name => "streaming-abort";

    public override string Question => "The caller of 10 slow items leaves after the 2nd: how many are produced, and how soon does the producer stop?";

    public override string? Document => "000";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 15, 150));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var delay = scale.Pick(50, 200, 2000);
        yield return new Case($"{Items} items of {delay} ms",
        [
            Contender("plain checked", "mvc", "/weather/checked", delay),
            Contender("plain token", "mvc", "/weather/stream", delay),
            Contender("plain lazy", "mvc", "/weather/lazy", delay),
            Contender("floor", "raw", "/weather/stream", delay),
        ])
        {
            Rounds = scale.Pick(1, 2, 3),
            WarmUp = scale == Scale.Full,
            Given = [Row.Fixed("document", $"{Items} items of {delay} ms", "items", Wanted, "")],
        };
    }

    private static HostedContender Contender(string name, string program, string path, int delay) =>
        new(name, ProgramLaunch.OfLab(program))
        {
            Drive = (process, cancellation) => LeaveAsync(process, $"{path}?days={Items}&delay={delay}", Items * delay, cancellation),
        };

    private static async Task<Round> LeaveAsync(ContenderProcess process, string path, int longest, CancellationToken cancellation)
    {
        var before = await ProductionAsync(process, cancellation);
        var left = await Task.Factory.StartNew(
            () =>
            {
                var clock = new ItemClock();
                using (var stream = RawStream.Get(process.Ready.Int("port"), path))
                    stream.Read(clock.Feed, () => clock.Items >= Wanted);
                return Clock.Now;
            },
            cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        // Until the producer has ended, however long it goes on for nobody.
        var after = before;
        while (after.Int("ended") == before.Int("ended"))
        {
            if (Clock.MillisecondsBetween(left, Clock.Now) > longest + 5_000)
                throw new TimeoutException("The producer never ended.");
            await Task.Delay(20, cancellation);
            after = await ProductionAsync(process, cancellation);
        }

        return new Round()
            .Add("items", after.Int("produced") - before.Int("produced"), "")
            .Add("stopped after", Clock.MillisecondsBetween(left, (long)after.Number("endedAt")), "ms")
            .Add("log lines", after.Int("logged") - before.Int("logged"), "");
    }

    private static Task<ControlLine> ProductionAsync(ContenderProcess process, CancellationToken cancellation) =>
        process.AskAsync(new ControlLine("production"), cancellation);
}
