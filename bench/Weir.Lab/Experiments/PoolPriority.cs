using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003 gives its workers less priority: what does the host's own work feel of workers that compute?</summary>
internal sealed class PoolPriority : Experiment
{
    private const string Below = "weir, below normal";
    private const string Normal = "weir, normal";
    private const string Threads = "threads of the host";
    private const string Bare = "bare programs, below normal";
    private const string Hello = "/hello/world";
    private const int Connections = 64;

    // What ProcessPriorityClass.BelowNormal is on Linux.
    private const int BelowNormalNice = 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly string Beside = $"{Environment.ProcessorCount} workers compute";

    public override string Name => "pool-priority";

    public override string Question => "Every worker burns CPU: how long do the host's own requests take, and is the CPU used?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(7, 15, 86));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var generators = new SharedProcesses();
        var asking = new OpenLoadGenerator(generators);
        Contender[] contenders =
        [
            Contender(asking, scale, Threads, "burn=threads"),
            Contender(asking, scale, Normal, "priority=Normal"),
            Contender(asking, scale, Below, "priority=BelowNormal"),
            BareContender(asking, scale),
        ];
        return new Case(Beside, contenders) { Rounds = scale.Pick(1, 1, 5), Shared = generators }.Deciding(scale, Below, Bare)
            .Select(part => part with { WarmFor = TimeSpan.Zero });
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio("below normal: p99 of at most 3 × idle", measured[Below, Beside, "p99, × idle"], Relation.AtMost, 3);
        yield return Promise.Ratio(
            "below normal: p99 of at most 1.5 × that beside bare programs of the same priority", measured[Below, Beside, "p99"], measured[Bare, Beside, "p99"],
            Relation.AtMost, 1.5);
        yield return Promise.Ratio("below normal: the CPU is all used", measured[Below, Beside, "CPU used"], Relation.AtLeast, 0.9);
    }

    private static HostedContender Contender(OpenLoadGenerator asking, Scale scale, string name, string setting) => Hosted(asking, scale, name, setting, async process =>
    {
        await process.AskAsync(new ControlLine("burn"), CancellationToken.None);
        return new Burn(() => 0, async () => await process.AskAsync(new ControlLine("calm"), CancellationToken.None));
    });

    // The floor: the same host, and programs that have nothing to do with it.
    private static HostedContender BareContender(OpenLoadGenerator asking, Scale scale) => Hosted(asking, scale, Bare, "burn=none", _ =>
    {
        var programs = new Hogs(Environment.ProcessorCount, BelowNormalNice);
        return Task.FromResult(new Burn(() => programs.CpuSeconds, () =>
        {
            programs.Dispose();
            return Task.CompletedTask;
        }));
    });

    private static HostedContender Hosted(OpenLoadGenerator asking, Scale scale, string name, string setting, Func<ContenderProcess, Task<Burn>> burn) => new(
        name, ProgramLaunch.OfLab("weir", "pool=tasks", $"workers={Environment.ProcessorCount}", setting))
    {
        Ask = async (process, cancellation) => await Served.FetchAsync(process, Hello, cancellation),
        Expected = "Hello, world",
        WarmUp = (process, cancellation) => AskAsync(asking, process, TimeSpan.FromSeconds(scale.Pick(0.1, 0.3, 1)), cancellation),
        Drive = (process, cancellation) => BesideAsync(asking, process, burn, TimeSpan.FromSeconds(scale.Pick(0.3, 0.5, 2)), cancellation),
    };

    private static async Task<Round> BesideAsync(
        OpenLoadGenerator asking, ContenderProcess process, Func<ContenderProcess, Task<Burn>> begin, TimeSpan duration, CancellationToken cancellation)
    {
        var idle = await AskAsync(asking, process, duration, cancellation);
        var burn = await begin(process);
        OpenLoadResult beside;
        double used, seconds;
        try
        {
            var (before, began) = (CpuSeconds(process, burn), Clock.Now);
            beside = await AskAsync(asking, process, duration, cancellation);
            (used, seconds) = (CpuSeconds(process, burn) - before + beside.CpuSeconds, Clock.SecondsSince(began));
        }
        finally
        {
            // Also where the asking failed: nothing may compute on beside what is measured next.
            await burn.End();
        }

        return new Round()
            .Add("idle p50", idle.P50, "ms")
            .Add("idle p99", idle.P99, "ms")
            .Add("p50", beside.P50, "ms")
            .Add("p90", beside.P90, "ms")
            .Add("p99", beside.P99, "ms")
            .Add("p99, × idle", beside.P99 / idle.P99, "")
            .Add("generator late p99", beside.LatenessP99, "ms")
            .Add("CPU used", used / seconds / Environment.ProcessorCount, "");
    }

    private static double CpuSeconds(ContenderProcess process, Burn burn) =>
        process.Meter.CpuSecondsOfAll + Environment.CpuUsage.TotalTime.TotalSeconds + burn.CpuSeconds();

    // At a fixed rate, and from a thread that goes before others: the asking is not what is measured.
    private static async Task<OpenLoadResult> AskAsync(OpenLoadGenerator asking, ContenderProcess process, TimeSpan duration, CancellationToken cancellation) =>
        (await asking.AskAsync(process, Hello, Connections, rate: 500, duration, Patience, cancellation)).WithoutErrors();

    /// <param name="CpuSeconds">What it has had so far, as far as the contender's own meter does not see it.</param>
    /// <param name="End">Ends it, and returns when nothing computes any more.</param>
    private sealed record Burn(Func<double> CpuSeconds, Func<Task> End);
}
