using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003: a pool that grows with a burst, shrinks to its minimum, and grows again.</summary>
internal sealed class PoolAutoscale : Experiment
{
    private const int Min = 2;
    private const int Max = 5;
    private const int Tasks = 100;
    private const int Bytes = 1024 * 1024;
    private const string Burst = "200 small tasks, fresh hosts";

    public override string Name => "pool-autoscale";

    public override string Question => "Min 2, max 5: 100 tasks of 1 MB, a pause, 100 more, stop. When do processes come and go?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 9, 110));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var idle = TimeSpan.FromSeconds(scale.Pick(0.5, 1, 3));
        var name = $"min {Min}, max {Max}, idle {idle.TotalSeconds:0.#} s";
        yield return new Case(name,
        [
            FreshContender.Of("document's pool", ProgramLaunch.OfLab("isolation"), (process, cancellation) =>
                CycleAsync(process, Request, idle, scale, cancellation)),
            FreshContender.Of(
                "weir",
                ProgramLaunch.OfLab("weir-pool", $"min={Min}", $"max={Max}", $"idle={(int)idle.TotalMilliseconds}"),
                (process, cancellation) => CycleAsync(process, Request, idle, scale, cancellation)),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
            Given = [.. DocumentRows(name)],
        };

        yield return Bounds(scale);

        ControlLine Request(string verb) => new ControlLine(verb).With("environment", "pool").With("mode", LineProtocol.Blob)
            .With("kind", nameof(TaskKind.Load)).With("min", Min).With("max", Max).With("idle", idle.TotalMilliseconds)
            .With("count", scale.Pick(20, Tasks, Tasks)).With("bytes", Bytes).WithRuntime(onMono: false);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var cycle = measured.CasesOf("weir").First(@case => @case != Burst);
        yield return Shape("started 1st", Max);
        yield return Shape("ended idle", Max - Min);
        yield return Shape("kept", Min);
        yield return Shape("started 2nd", Max - Min);
        yield return Shape("left", 0);
        yield return Promise.Count("the maximum of 5 is never exceeded", measured["weir", cycle, "most"], Relation.AtMost, Max);
        yield return Promise.Count("the maximum of 2 is never exceeded by a burst", measured["weir", Burst, "most of 2"], Relation.AtMost, 2);
        yield return Promise.Count("stopping never leaves work undone", measured["weir", cycle, "unfinished"], Relation.Exactly, 0);
        yield return Promise.Count("stopping never leaves a burst undone", measured["weir", Burst, "unfinished of 200"], Relation.Exactly, 0);

        Promise Shape(string metric, double value) => Promise.Count($"{metric}: {value}", measured["weir", cycle, metric], Relation.Exactly, value);
    }

    /// <summary>Burst, pause, burst, stop; seen from outside by who is there.</summary>
    private static async Task<Round> CycleAsync(
        ContenderProcess process, Func<string, ControlLine> request, TimeSpan idle, Scale scale, CancellationToken cancellation)
    {
        using var watch = new ChildWatch(process.Meter);
        await process.AskAsync(request("burst"), cancellation);
        var firstDone = watch.Now;
        await Task.Delay(idle * scale.Pick(2.5, 3, 3.34), cancellation);
        var second = watch.Now;
        var kept = watch.Alive.Count;
        await process.AskAsync(request("burst"), cancellation);
        var stopping = watch.Now;
        var stopped = await process.AskAsync(request("stop"), cancellation);
        while (watch.Alive.Count > 0 && watch.Now < stopping + 10)
            await Task.Delay(20, cancellation);

        var round = new Round()
            .Add("started 1st", watch.Count("started", 0, second), "")
            .Add("ended idle", watch.Count("ended", 0, second), "")
            .Add("kept", kept, "")
            .Add("started 2nd", watch.Count("started", second, double.MaxValue), "")
            .Add("most", watch.Most, "")
            .Add("left", watch.Alive.Count, "")
            .Add("unfinished", stopped.Int("unfinished"), "");
        round.Note(0, "burst", Tasks).Note(firstDone, "submitted", Tasks).Note(second, "burst", Tasks).Note(stopping, "stop", 0);
        foreach (var item in watch.Events)
            round.Note(item.Seconds, item.What, item.Value);
        return round;
    }

    // Bursts of small tasks on fresh hosts: who passes the maximum, and who stops with work undone?
    private static Case Bounds(Scale scale)
    {
        return new Case(Burst,
        [
            FreshContender.Of("document's pool", ProgramLaunch.OfLab("isolation"), RunAsync),
            FreshContender.Of("weir", ProgramLaunch.OfLab("weir-pool", "min=1", "max=2"), RunAsync),
        ])
        {
            Rounds = scale.Pick(2, 4, 30),
            WarmUp = false,
        };

        async Task<Round> RunAsync(ContenderProcess process, CancellationToken cancellation)
        {
            using var watch = new ChildWatch(process.Meter);
            await process.AskAsync(Request("burst"), cancellation);
            var stopped = await process.AskAsync(Request("stop"), cancellation);
            return new Round().Add("most of 2", watch.Most, "").Add("unfinished of 200", stopped.Int("unfinished"), "");
        }

        static ControlLine Request(string verb) => new ControlLine(verb).With("environment", "pool").With("mode", LineProtocol.Blob)
            .With("kind", nameof(TaskKind.Load)).With("min", 1).With("max", 2).With("count", 200).With("bytes", 1024).WithRuntime(onMono: false);
    }

    private static IEnumerable<Row> DocumentRows(string name) =>
    [
        Row.Fixed("document", name, "started 1st", 5, ""),
        Row.Fixed("document", name, "ended idle", 3, ""),
        Row.Fixed("document", name, "kept", 2, ""),
        Row.Fixed("document", name, "started 2nd", 3, ""),
        Row.Fixed("document", name, "most", 5, ""),
        Row.Fixed("document", name, "left", 0, ""),
    ];
}
