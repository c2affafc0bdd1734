using System.Globalization;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 001: the same waiting without a web server.</summary>
internal sealed class BlockingInProcess : Experiment
{
    private const int MostTasks = 100_000;

    private const int BurstTasks = 1000;
    private const int BurstMilliseconds = 10;

    private static readonly string Burst = $"first {CaseName(BurstTasks, BurstMilliseconds)}";

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

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(7, 27, 215));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return FirstBurst(scale);
        var shared = new SharedProcesses();
        foreach (var (tasks, milliseconds, batches, withPlain) in Sizes(scale))
        {
            // The plain way grows threads as it goes: nothing but a process of its own is like the document's.
            if (withPlain)
                yield return Plain(scale, tasks, milliseconds);
            foreach (var part in Bounded(shared, scale, tasks, milliseconds, batches).Deciding(scale, "weir", "raised minimum"))
            {
                var @case = withPlain ? part with { Given = [] } : part;
                yield return scale == Scale.Quick && tasks > 1000 ? @case with { WarmFor = TimeSpan.Zero } : @case;
            }
        }
    }

    // So many batches that a round takes about half a second, in a quick run less. The last size shows the bounds: neither threads nor memory may
    // follow the number of tasks.
    private static (int Tasks, int Milliseconds, int Batches, bool WithPlain)[] Sizes(Scale scale) => scale.Pick<(int, int, int, bool)[]>(
        [(50, 10, 1, true)],
        [(1000, 10, 10, true), (10_000, 10, 2, false), (MostTasks, 10, 1, false)],
        [(1000, 10, 20, true), (1000, 100, 10, true), (10_000, 10, 10, true), (10_000, 100, 3, true), (MostTasks, 10, 3, false)]);

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var @case in measured.CasesOf("weir"))
        {
            yield return Promise.Ratio(
                $"{@case}: at least 0.9 × a raised minimum", measured["weir", @case, "tasks/s"], measured["raised minimum", @case, "tasks/s"], Relation.AtLeast, 0.9);
        }

        if (scale != Scale.Tiny)
        {
            // Both have as many threads then; Weir's process also has a container, a logger and its catalogs, some 6 MB.
            yield return Promise.Ratio(
                "10,000 × 10 ms: at most 1.2 × the memory of a raised minimum, without mapped files", measured["weir", CaseName(10_000, 10), "memory without files"],
                measured["raised minimum", CaseName(10_000, 10), "memory without files"], Relation.AtMost, 1.2);
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

    private static Case Plain(Scale scale, int tasks, int milliseconds) => new(
        CaseName(tasks, milliseconds),
        [
            Contender("plain", "plain", tasks, milliseconds),
            .. tasks <= 1000 ? [Mono("Mono: plain", "bio", tasks, milliseconds), Mono("Mono: async", "aio", tasks, milliseconds)] : Array.Empty<Contender>(),
        ])
    {
        Rounds = 1,
        AtOnce = true,
        WarmUp = false,
        Given = [.. DocumentRows(tasks, milliseconds)],
    };

    // A process that has answered one task before: its threads are yet to be started.
    private static Case FirstBurst(Scale scale) => new(Burst, [ColdSleepers("raised minimum", "raised"), ColdSleepers("weir", "weir")])
    {
        Rounds = scale.Pick(1, 5, 15),
        WarmUp = false,
    };

    private static ColdContender ColdSleepers(string name, string way) => new(
        name,
        ProgramLaunch.OfLab("sleepers", $"way={way}"),
        new ControlLine("run").With("tasks", BurstTasks).With("ms", BurstMilliseconds).With("batches", 1),
        new ControlLine("answer"),
        Sleeping.Answer(1));

    // The same processes for all sizes, which rise: the threads that a smaller size started are no more than the next size needs.
    private static Case Bounded(SharedProcesses shared, Scale scale, int tasks, int milliseconds, int batches) => new(
        CaseName(tasks, milliseconds),
        [
            Contender("raised minimum", "raised", tasks, milliseconds, batches, shared),
            Contender("plain async", "aio", tasks, milliseconds, batches, shared),
            Contender("weir", "weir", tasks, milliseconds, batches, shared),
            Contender("floor", "threads", tasks, milliseconds, batches, shared),
        ])
    {
        Rounds = scale.Pick(1, 1, 3),
        Shared = shared,
        Given = [.. DocumentRows(tasks, milliseconds)],
    };

    private static IEnumerable<Row> DocumentRows(int tasks, int milliseconds)
    {
        if (!DocumentFigures.TryGetValue((tasks, milliseconds), out var figures))
            yield break;

        var name = CaseName(tasks, milliseconds);
        yield return Row.Fixed("document BIO", name, "tasks/s", figures.Bio, "1/s");
        yield return Row.Fixed("document AIO", name, "tasks/s", figures.Aio, "1/s");
    }

    // The document's own platform.
    private static HostedContender Mono(string name, string way, int tasks, int milliseconds) =>
        new(name, ProgramLaunch.MonoHost)
        {
            Needs = Peers.Mono,
            Request = new ControlLine("sleep").With("way", way).With("tasks", tasks).With("ms", milliseconds).With("batches", 1),
            Question = new ControlLine("sleep-answer").With("way", way),
            Expected = Sleeping.Answer(1),
        };

    private static HostedContender Contender(string name, string way, int tasks, int milliseconds, int batches = 1, SharedProcesses? shared = null) =>
        new(name, ProgramLaunch.OfLab("sleepers", $"way={way}"))
        {
            Shared = shared,
            Request = new ControlLine("run").With("tasks", tasks).With("ms", milliseconds).With("batches", batches),

            // All the threads that there will be, and the code; not the memory of a hundred thousand tasks.
            WarmUpRequest = new ControlLine("run").With("tasks", tasks < 1000 ? tasks : 10_000).With("ms", 10).With("batches", 2).With("rest", "1"),
            Question = new ControlLine("answer"),
            Expected = Sleeping.Answer(1),
        };
}
