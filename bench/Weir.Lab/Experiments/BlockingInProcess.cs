using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 001: the same waiting without a web server.</summary>
internal sealed class BlockingInProcess : Experiment
{
    private static readonly Dictionary<(int Tasks, int Milliseconds), (double Bio, double Aio)> DocumentFigures = new()
    {
        [(1000, 10)] = (767.34, 37820.05),
        [(1000, 100)] = (101.52, 8699.67),
        [(10_000, 10)] = (1282.61, 119158.27),
        [(10_000, 100)] = (291.00, 58077.64),
    };

    public override string Name => "blocking-inprocess";

    public override string Question => "Thousands of tasks in one process that sleep: how many end per second, with how many threads?";

    public override string? Document => "001";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 20, 400));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return Sleeping(scale, scale.Pick(50, 1000, 1000), 10, withPlain: true);
        if (scale == Scale.Tiny)
            yield break;

        yield return Sleeping(scale, 1000, 100, withPlain: scale == Scale.Full);
        yield return Sleeping(scale, 10_000, 10, withPlain: scale == Scale.Full);
        if (scale == Scale.Full)
            yield return Sleeping(scale, 10_000, 100, withPlain: true);

        // Bounded: neither threads nor memory may follow the number of tasks.
        yield return Sleeping(scale, 100_000, 10, withPlain: false);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var @case in measured.CasesOf("weir"))
        {
            yield return Promise.Ratio(
                $"{@case}: at least 0.9 × a raised minimum", measured["weir", @case, "tasks/s"], measured["raised minimum", @case, "tasks/s"], Relation.AtLeast, 0.9);
        }

        // The lane's threads, and those that every process has.
        yield return Promise.Count("at most 1,024 threads of the lane, and 40 others", measured.Everywhere("weir", "threads"), Relation.AtMost, Blocking.Threads + 40);
        if (scale != Scale.Tiny)
        {
            yield return Promise.Ratio(
                "100,000 tasks need at most 1.5 × the memory of 10,000", measured["weir", CaseName(100_000, 10), "peak memory"],
                measured["weir", CaseName(10_000, 10), "peak memory"], Relation.AtMost, 1.5);
        }
    }

    private static string CaseName(int tasks, int milliseconds) => string.Create(CultureInfo.InvariantCulture, $"{tasks:#,0} × {milliseconds} ms");

    private static Case Sleeping(Scale scale, int tasks, int milliseconds, bool withPlain)
    {
        var name = CaseName(tasks, milliseconds);
        return new Case(name,
        [
            .. withPlain ? [Contender("plain", "plain", tasks, milliseconds)] : Array.Empty<Contender>(),
            .. tasks <= 1000 && (withPlain || milliseconds == 10) ? [Mono("Mono: plain", "bio", tasks, milliseconds), Mono("Mono: async", "aio", tasks, milliseconds)] : Array.Empty<Contender>(),
            Contender("raised minimum", "raised", tasks, milliseconds),
            Contender("plain async", "aio", tasks, milliseconds),
            Contender("weir", "weir", tasks, milliseconds),
            Contender("floor", "threads", tasks, milliseconds),
        ])
        {
            Rounds = scale.Pick(1, 2, 3),
            Given = DocumentFigures.TryGetValue((tasks, milliseconds), out var figures)
                ? [Row.Fixed("document BIO", name, "tasks/s", figures.Bio, "1/s"), Row.Fixed("document AIO", name, "tasks/s", figures.Aio, "1/s")]
                : [],
        };
    }

    // The document's own platform.
    private static HostedContender Mono(string name, string way, int tasks, int milliseconds) =>
        new(name, new ProgramLaunch("mono", [BuiltPrograms.MonoHost]))
        {
            Needs = Peers.Mono,
            Request = new ControlLine("sleep").With("way", way).With("tasks", tasks).With("ms", milliseconds),
            Question = new ControlLine("sleep-answer"),
        };

    private static HostedContender Contender(string name, string way, int tasks, int milliseconds) =>
        new(name, ProgramLaunch.OfLab("sleepers", $"way={way}"))
        {
            Request = new ControlLine("run").With("tasks", tasks).With("ms", milliseconds),
            Question = new ControlLine("answer"),
        };
}
