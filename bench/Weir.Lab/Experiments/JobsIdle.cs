using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>What jobs cost that are not due.</summary>
internal sealed class JobsIdle : Experiment
{
    private const string Nothing = "no jobs";

    // Per second: 0.5 % of a processor.
    private const double MostCpu = 5;

    // The runtime compiles what was new, and keeps threads that had work, for some seconds.
    private static readonly TimeSpan UntilRest = TimeSpan.FromSeconds(4);

    public override string Name => "jobs-idle";

    public override string Question => "300 kinds of jobs, half of them isolated, and 100,000 jobs (in a quick run 10,000) that are due in a month: what does the application do for 60 s (10 s)?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(8, 11, 90));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var seconds = scale.Pick(0.3, 5, 60);
        yield return new Case(CaseName(scale),
        [
            FreshContender.Of(Nothing, ProgramLaunch.OfJobKinds("store=sqlite", "min=0"), (process, cancellation) => RestAsync(process, seconds, cancellation)),
            new FreshContender(Sqlite, cancellation => ScheduledAsync(scale, seconds, cancellation)),
        ])
        {
            // They only wait, so they do so beside each other.
            Rounds = 1,
            AtOnce = true,
            WarmUp = false,
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = CaseName(scale);
        yield return Promise.Count("jobs that are not due have no workers", measured[Sqlite, name, "workers"], Relation.Exactly, 0);
        yield return Promise.Count("jobs that are not due take at most 0.5 % of a processor (5 ms/s)", measured[Sqlite, name, "CPU"], Relation.AtMost, MostCpu);
    }

    private static int Count(Scale scale) => scale.Pick(300, 10_200, 100_200);

    private static string CaseName(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} jobs of 300 kinds, none due");

    // Stored by one process, and there when another one starts.
    private static async Task<Round> ScheduledAsync(Scale scale, double seconds, CancellationToken cancellation)
    {
        await using var directory = new SharedDirectory();
        var folder = directory.Folder("idle");
        await using (var filling = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds("store=sqlite", "min=0", $"directory={folder}"), cancellation))
            await filling.RunAsync(new ControlLine("schedule").With("count", Count(scale)), cancellation);

        await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds("store=sqlite", "min=0", $"directory={folder}"), cancellation);
        return await RestAsync(process, seconds, cancellation);
    }

    private static async Task<Round> RestAsync(ContenderProcess process, double seconds, CancellationToken cancellation)
    {
        await Task.Delay(UntilRest, cancellation);
        var meter = process.Meter;
        var idle = await Idleness.OverAsync(meter, TimeSpan.FromSeconds(seconds), cancellation);
        return new Round()
            .Add("workers", meter.Children.Count(pid => new ProcessMeter(pid).IsAlive), "")
            .Add("CPU", idle.CpuMilliseconds, "ms/s")
            .Add("wake-ups", idle.Wakeups, "1/s")
            .Add("threads", meter.Threads, "")
            .Add("resident", meter.Resident / 1e6, "MB");
    }
}
