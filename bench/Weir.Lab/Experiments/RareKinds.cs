using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003's motive: hundreds of kinds of task that hardly ever come, each of which must not meet the others.</summary>
internal sealed class RareKinds : Experiment
{
    private const string OneEach = "one process per kind";
    private const string OneKind = "weir, one kind";
    private const string Idle = "no calls";
    private const int Bytes = 1024;

    // Per second. A kind that woke up once in two minutes would be seen; the runtime itself wakes up now and then.
    private const double MostWakeups = 2;

    // One step of the kernel's count in a quick run.
    private const double MostCpu = 5;

    // The next call of a kind is 20 s away: a worker that stays for it is a process per kind again.
    private const int IdleMilliseconds = 50;
    private static readonly TimeSpan UntilIdle = TimeSpan.FromMilliseconds(500);

    // The runtime compiles what was new, and keeps threads that had work, for two seconds.
    private static readonly TimeSpan UntilRest = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan SampleInterval = TimeSpan.FromMilliseconds(100);

    public override string Name => "rare-kinds";

    public override string Question => "Hundreds of kinds of task, each a few times a minute, each in a process of its own: memory, first call, CPU.";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(8, 18, 220));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var plan = PlanOf(scale);
        yield return new Case(CaseName(scale),
        [
            FreshContender.Of(OneEach, ProgramLaunch.OfLab("isolation"), (process, cancellation) => LiveAsync(process, plan, cancellation)),
            FreshContender.Of("weir", ProgramLaunch.OfLab("weir-kinds"), (process, cancellation) => LiveAsync(process, plan, cancellation)),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
        };

        // They only wait, so they do so beside each other.
        yield return new Case(Idle,
        [
            FreshContender.Of(OneKind, ProgramLaunch.OfLab("weir-kinds"), (process, cancellation) => RestAsync(process, plan with { Kinds = 1 }, cancellation)),
            FreshContender.Of("weir", ProgramLaunch.OfLab("weir-kinds"), (process, cancellation) => RestAsync(process, plan, cancellation)),
        ])
        {
            Rounds = 1,
            AtOnce = true,
            WarmUp = false,
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = CaseName(scale);
        yield return Promise.Count("no worker is left when there are no calls", measured["weir", name, "workers idle"], Relation.Exactly, 0);
        yield return Promise.Count(
            FormattableString.Invariant($"kinds without calls wake no thread: at most {MostWakeups} wake-ups per second more than one kind has"),
            measured["weir", Idle, "wake-ups"] - measured[OneKind, Idle, "wake-ups"], Relation.AtMost, MostWakeups);
        yield return Promise.Count(
            FormattableString.Invariant($"kinds without calls do nothing: at most {MostCpu} ms of processor time per second more than one kind has"),
            measured["weir", Idle, "CPU"] - measured[OneKind, Idle, "CPU"], Relation.AtMost, MostCpu);
        yield return Promise.Ratio(
            "at most 1/20 of the memory of a process per kind", measured["weir", name, "memory"], measured[OneEach, name, "memory"], Relation.AtMost, 1.0 / 20);
    }

    private static string CaseName(Scale scale)
    {
        var plan = PlanOf(scale);
        return FormattableString.Invariant($"{plan.Kinds} kinds, each {plan.PerMinute} times a minute");
    }

    private static Plan PlanOf(Scale scale) => scale.Pick(new Plan(4, 300, 0.4, 0.3), new Plan(100, 3, 2, 2), new Plan(300, 3, 20, 10));

    // What kinds cost is what they add to a host that has had one and called it: that code is there is no matter of how many.
    private static async Task<Round> LiveAsync(ContenderProcess process, Plan plan, CancellationToken cancellation)
    {
        var meter = process.Meter;
        await OpenAsync(process, 1, cancellation);
        await process.RunAsync(Calls(perMinute: 600, seconds: 0.4), cancellation);
        await Task.Delay(UntilIdle, cancellation);
        var (alone, before) = (meter.PrivateDirtyOfAll, meter.CpuSecondsOfAll);
        await OpenAsync(process, plan.Kinds, cancellation);

        var opened = meter.CpuSecondsOfAll;
        using var memory = new MemorySampler(meter, SampleInterval);
        var round = await process.RunAsync(Calls(plan.PerMinute, plan.Seconds), cancellation);
        var held = memory.Stop() - alone;
        var used = meter.CpuSecondsOfAll - opened;

        await Task.Delay(UntilIdle, cancellation);
        return round
            .Add("memory", held / 1e6, "MB")
            .Add("memory idle", (meter.PrivateDirtyOfAll - alone) / 1e6, "MB")
            .Add("workers idle", meter.Children.Count(pid => new ProcessMeter(pid).IsAlive), "")
            .Add("CPU to open", opened - before, "s")
            .Add("CPU per call", used * 1_000 / round["calls"], "ms");
    }

    // What a host does, and the workers that it may still have, when all kinds are there and were called, and no call is left.
    private static async Task<Round> RestAsync(ContenderProcess process, Plan plan, CancellationToken cancellation)
    {
        await OpenAsync(process, plan.Kinds, cancellation);
        await process.RunAsync(Calls(plan.PerMinute, plan.Seconds), cancellation);
        await Task.Delay(UntilRest, cancellation);
        var (meter, time) = (process.Meter, TimeSpan.FromSeconds(plan.IdleSeconds));
        var idle = await Idleness.OverAsync(meter, time, cancellation);
        return new Round()
            .Add("kinds", plan.Kinds, "")
            .Add("wake-ups", idle.Wakeups, "1/s")
            .Add("CPU", idle.CpuMilliseconds, "ms/s")
            .Add("workers", meter.Children.Count(pid => new ProcessMeter(pid).IsAlive), "");
    }

    private static ControlLine Calls(double perMinute, double seconds) =>
        new ControlLine("rare").With("perMinute", perMinute).With("seconds", seconds).With("bytes", Bytes);

    private static async Task OpenAsync(ContenderProcess process, int kinds, CancellationToken cancellation)
    {
        await process.AskAsync(new ControlLine("kinds").With("kinds", kinds).With("idle", IdleMilliseconds).WithRuntime(onMono: false), cancellation);
        await SettleAsync(process.Meter, cancellation);
    }

    // Until what was opened has come to rest.
    private static async Task SettleAsync(ProcessMeter meter, CancellationToken cancellation)
    {
        double before;
        do
        {
            before = meter.CpuSecondsOfAll;
            await Task.Delay(200, cancellation);
        }
        while (meter.CpuSecondsOfAll - before > 0.02);
    }

    private sealed record Plan(int Kinds, double PerMinute, double Seconds, double IdleSeconds);
}
