using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 003 gives its workers less priority: what does the host's own work feel of workers that compute?</summary>
internal sealed class PoolPriority : Experiment
{
    private const string Below = "weir, below normal";
    private const string Normal = "weir, normal";
    private const string Threads = "threads of the host";
    private const string Hello = "/hello/world";
    private const int Connections = 64;

    private static readonly string Beside = $"{Environment.ProcessorCount} workers compute";

    public override string Name => "pool-priority";

    public override string Question => "Every worker burns CPU: how long do the host's own requests take, and is the CPU used?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(6, 9, 65));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        Contender[] contenders =
        [
            Contender(scale, Threads, "burn=threads"),
            Contender(scale, Normal, "priority=Normal"),
            Contender(scale, Below, "priority=BelowNormal"),
        ];
        return new Case(Beside, contenders) { Rounds = scale.Pick(1, 1, 5) }.Deciding(scale, Below)
            .Select(part => part with { WarmFor = TimeSpan.Zero });
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Ratio("below normal: p99 of at most 3 × idle", measured[Below, Beside, "p99, × idle"], Relation.AtMost, 3);
        yield return Promise.Ratio("below normal: the CPU is all used", measured[Below, Beside, "CPU used"], Relation.AtLeast, 0.9);
    }

    private static HostedContender Contender(Scale scale, string name, string setting) => new(
        name, ProgramLaunch.OfLab("weir", "pool=tasks", $"workers={Environment.ProcessorCount}", setting))
    {
        Ask = async (process, cancellation) => await Served.FetchAsync(process, Hello, cancellation),
        Expected = "Hello, world",
        WarmUp = (process, cancellation) => AskAsync(process, TimeSpan.FromSeconds(scale.Pick(0.1, 0.3, 1)), cancellation),
        Drive = (process, cancellation) => BesideAsync(process, TimeSpan.FromSeconds(scale.Pick(0.3, 0.5, 2)), cancellation),
    };

    private static async Task<Round> BesideAsync(ContenderProcess process, TimeSpan duration, CancellationToken cancellation)
    {
        var idle = await AskAsync(process, duration, cancellation);
        await process.AskAsync(new ControlLine("burn"), cancellation);
        var (before, own, began) = (process.Meter.CpuSecondsOfAll, Environment.CpuUsage.TotalTime, Clock.Now);
        var beside = await AskAsync(process, duration, cancellation);
        var used = process.Meter.CpuSecondsOfAll - before + (Environment.CpuUsage.TotalTime - own).TotalSeconds;
        var seconds = Clock.SecondsSince(began);
        await process.AskAsync(new ControlLine("calm"), cancellation);
        return new Round()
            .Add("idle p50", idle.Response.Milliseconds(50), "ms")
            .Add("idle p99", idle.Response.Milliseconds(99), "ms")
            .Add("p50", beside.Response.Milliseconds(50), "ms")
            .Add("p99", beside.Response.Milliseconds(99), "ms")
            .Add("p99, × idle", beside.Response.Milliseconds(99) / idle.Response.Milliseconds(99), "")
            .Add("generator late p99", beside.Lateness.Milliseconds(99), "ms")
            .Add("CPU used", used / seconds / Environment.ProcessorCount, "");
    }

    // At a fixed rate, and from a thread that goes before others: the asking is not what is measured.
    private static async Task<LoadResult> AskAsync(ContenderProcess process, TimeSpan duration, CancellationToken cancellation)
    {
        using var asking = new Reactor(Served.EndPoint(process), Connections) { IsUrgent = true };
        var model = new OpenModel(RequestSet.Get(Hello), rate: 500, duration);
        await asking.RunAsync(model, cancellation);
        return model.Result.WithoutErrors();
    }
}
